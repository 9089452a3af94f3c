#!/bin/sh
# The SPIN models of the shutdown protocol (drain.pml) and of readiness (ready.pml),
# as TAP: what must hold holds, and every fault that can be compiled in is found.
# $1: where to build.
# MODEL_FULL=1 adds a second worker, and requests to the claims about ends.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$1
full=${MODEL_FULL:-}
mkdir -p "$out"
cd "$out"
count=0

# check EXPECT NAME DEFINES: search, and compare the number of errors with EXPECT
# (clean or found).  NAME is "safety" (assertions, no stuck state) or a claim;
# claims that something happens in the end are checked under weak fairness.
check() {
    expect=$1 name=$2 defines=$3
    count=$((count + 1))
    case $name in
    safety)
        size= pan=-m100000 build="-DSAFETY -DNOCLAIM -DCOLLAPSE" ;;
    *_ends)
        pan="-a -f -m1000000 -N $name" build=-DNFAIR=3
        if [ "$full" ]; then size=; else size=-DLEAN; fi ;;
    *)
        size=-DLEAN pan="-a -m100000 -N $name" build= ;;
    esac
    spin -a $size $defines "$here/$model.pml" >spin.log
    optimise=-O1
    [ "$expect" = clean ] || optimise=-O0       # soon found, sooner built
    gcc -w $optimise $build -o pan pan.c
    ./pan $pan >pan.log
    errors=$(sed -n 's/.*errors: \([0-9]*\).*/\1/p' pan.log)
    states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' pan.log)
    whole=$(grep -c 'Search not completed\|max search depth too small' pan.log || true)
    label="$model: $name${defines:+ with $(echo "$defines" | sed s/-D//g)} # $states states"
    if [ "$expect" = clean ] && [ "$errors" = 0 ] && [ "$whole" = 0 ]; then
        echo "ok $count - $label"
    elif [ "$expect" = found ] && [ "$errors" != 0 ]; then
        echo "ok $count - $label, found"
    else
        echo "not ok $count - $label, expected $expect"
        sed 's/^/# /' pan.log
    fi
}

if [ "$full" ]; then echo 1..27; else echo 1..25; fi
model=drain
check clean safety ''
check clean drain_ends ''
check clean second_order_ends -DNO_CLOCK
check clean phase_first ''
check clean metrics_last ''

if [ "$full" ]; then
    check clean safety '-DTWO -DLEAN'
    check clean metrics_last -DTWO
fi

check found safety -DFAULT_RESTART_IN_DRAIN
check found safety -DFAULT_CANCEL_UNLOCKED
check found safety -DFAULT_CANCEL_TOO_EARLY
check found safety -DFAULT_QUEUE_FORGOTTEN
check found phase_first -DFAULT_TOLD_BEFORE_THE_PHASE
check found metrics_last -DFAULT_METRICS_WITH_THE_REST
check found drain_ends -DFAULT_NO_CANCEL
check found drain_ends -DFAULT_CANCEL_TOO_EARLY
check found second_order_ends '-DNO_CLOCK -DFAULT_SECOND_ORDER_IGNORED'

model=ready
check clean safety ''
check clean drain_ends ''
check clean ready_first ''
check clean degrade_first ''
check found lets_nobody_in ''           # what it shows is not shown of nothing
check found safety -DFAULT_NEEDS_IGNORED
check found safety -DFAULT_REMEMBERED
check found safety -DFAULT_LEAVING_FORGOTTEN
check found ready_first -DFAULT_TOLD_BEFORE_LEAVING
check found degrade_first -DFAULT_ALL_OR_NOTHING
check found drain_ends -DFAULT_WAITS_FOR_THE_QUEUE
