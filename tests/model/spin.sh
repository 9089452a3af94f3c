#!/bin/sh
# The SPIN model of the shutdown protocol (drain.pml), as TAP: what must hold
# holds, and every fault that can be compiled in is found.  $1: where to build.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$1
full=${MODEL_FULL:+-DFULL}
mkdir -p "$out"
cd "$out"
count=0

# check EXPECT NAME DEFINES: search, and compare the number of errors with EXPECT
# (clean or found).  NAME is "safety" (assertions, no stuck state) or a claim;
# claims that something happens in the end are checked under weak fairness.
check() {
    expect=$1 name=$2 defines=$3
    count=$((count + 1))
    spin -a $full $defines "$here/drain.pml" >spin.log
    case $name in
    safety)
        gcc -O1 -DSAFETY -DNOCLAIM -o pan pan.c
        ./pan -m100000 >pan.log ;;
    *_ends)
        gcc -O1 -DNFAIR=3 -o pan pan.c
        ./pan -a -f -m1000000 -N "$name" >pan.log ;;
    *)
        gcc -O1 -o pan pan.c
        ./pan -a -m100000 -N "$name" >pan.log ;;
    esac
    errors=$(sed -n 's/.*errors: \([0-9]*\).*/\1/p' pan.log)
    states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' pan.log)
    whole=$(grep -c 'Search not completed\|max search depth too small' pan.log || true)
    fault=${defines#-DNO_CLOCK}
    fault=${fault# }
    label="drain: $name${fault:+ finds ${fault#-D}} # $states states"
    if [ "$expect" = clean ] && [ "$errors" = 0 ] && [ "$whole" = 0 ]; then
        echo "ok $count - $label"
    elif [ "$expect" = found ] && [ "$errors" != 0 ]; then
        echo "ok $count - $label"
    else
        echo "not ok $count - $label, expected $expect"
        sed 's/^/# /' pan.log
    fi
}

echo 1..13
check clean safety ''
check clean drain_ends ''
check clean second_signal_ends -DNO_CLOCK
check clean readiness_first ''
check clean metrics_last ''

check found safety -DFAULT_STALE_INTAKE
check found safety -DFAULT_RESTART_IN_DRAIN
check found safety -DFAULT_METRICS_WITH_THE_REST
check found safety -DFAULT_QUEUE_FORGOTTEN
check found safety -DFAULT_NO_CANCEL
check found readiness_first -DFAULT_INTAKE_BEFORE_READINESS
check found drain_ends -DFAULT_NO_CANCEL
check found second_signal_ends '-DNO_CLOCK -DFAULT_SECOND_SIGNAL_IGNORED'
