/* drain.pml - the shutdown protocol: it ends, in order, and loses nothing.
 *
 * Running -> Draining -> (Aborting) -> Stopped.  Readiness flips first, then
 * intake stops, then the groups drain one after the other inside the deadline;
 * who is not done by then is canceled, and the metrics group stops last.  A
 * second signal cancels at once.  docs/design/0003-models.md says which code
 * each part stands for.
 *
 * What children may do is as bad as the rules allow: crash at any time, ignore
 * the request to drain, hang in a piece of work.  Only a cancel must be obeyed,
 * because every wait returns then.
 *
 * Faults are compiled in with -DFAULT_...; each must be found (tests/model/run).
 * -DFULL has a second worker, more requests and more crashes.
 */
#define INTAKE   0
#define WORK     1
#define METRICS  2
#ifdef FULL
#define CHILDREN 4              /* one takes requests, two work, one is metrics */
#define GROUP(c) (c == 0 -> INTAKE : (c == 3 -> METRICS : WORK))
#define WORK_DOWN (state[1] == Down && state[2] == Down)
#define MANY     2
#else
#define CHILDREN 3
#define GROUP(c) (c)
#define WORK_DOWN (state[1] == Down)
#define MANY     1
#endif
#define LAST     (CHILDREN - 1)
#define OTHERS_DOWN (state[0] == Down && WORK_DOWN)
#define QUEUE_MAX 1

mtype:phase = { Running, Draining, Aborting, Stopped };
mtype:child = { Up, Crashed, Down };

mtype:phase phase = Running;
mtype:child state[CHILDREN] = Up;
bool ready = true;
bool intake = true;
bool asked[3], canceled[3];
bool deadline = false;
byte signals = 0;

byte requests_left = 2;
byte crashes_left = MANY + 1;
byte restarts_left = MANY;      /* then a crashed child is given up: degraded */
byte queued = 0;
byte open = 0;                  /* requests accepted and not yet answered, in any way */

/* ---- children: what a supervisor's child does ---- */

inline drop_work()              /* its caller is told */
{
    if
    :: busy -> busy = false; open--
    :: else
    fi
}

inline leave()
{
    drop_work();
    assert(group != METRICS || OTHERS_DOWN);    /* it sees all that others report */
    state[me] = Down
}

proctype child(byte me; bool stubborn)
{
    byte group = GROUP(me);
    bool busy, hangs;

    do
    :: atomic { canceled[group] -> leave(); break }
    :: atomic { asked[group] && !stubborn && !busy && (group != WORK || queued == 0) ->
        leave(); break }
#ifdef FAULT_STALE_INTAKE
    :: group == INTAKE && intake && requests_left > 0 && queued < QUEUE_MAX ->
        atomic { assert(intake); requests_left--; open++; queued++ }
#else
    :: atomic { group == INTAKE && intake && requests_left > 0 && queued < QUEUE_MAX ->
        requests_left--; open++; queued++ }
#endif
    :: atomic { group == WORK && queued > 0 && !busy ->
        queued--;
        busy = true;
        if
        :: hangs = true
        :: hangs = false
        fi }
    :: atomic { busy && !hangs -> busy = false; open-- }
    :: atomic { crashes_left > 0 && !canceled[group] ->
            crashes_left--;
            drop_work();
            state[me] = Crashed
        };
        if
        :: state[me] == Up      /* started again */
        :: state[me] == Down -> break
        fi
    od
}

/* ---- the supervisor: it restarts while running, and only then ---- */

inline restart(c)
{
#ifdef FAULT_RESTART_IN_DRAIN
    if                          /* looked at before the backoff only */
    :: phase == Running -> atomic { assert(phase == Running); state[c] = Up }
    :: else -> state[c] = Down
    fi
#else
    atomic {                    /* the backoff was cut short, or is over */
        if
        :: phase == Running && restarts_left > 0 -> restarts_left--; state[c] = Up
        :: else -> state[c] = Down
        fi
    }
#endif
}

active proctype supervisor()
{
    do
    :: state[0] == Crashed -> restart(0)
    :: state[1] == Crashed -> restart(1)
    :: state[2] == Crashed -> restart(2)
#ifdef FULL
    :: state[3] == Crashed -> restart(3)
#endif
    :: phase == Stopped -> break
    od
}

/* ---- the one that shuts down ---- */

inline start(me)
{
    if
    :: run child(me, true)
    :: run child(me, false)
    fi
}

inline flip()
{
#ifdef FAULT_INTAKE_BEFORE_READINESS
    phase = Draining;
    intake = false;
    ready = false
#else
    ready = false;
    phase = Draining;
    intake = false
#endif
}

inline cancel_others()
{
    atomic {
        phase = Aborting;
#ifndef FAULT_NO_CANCEL
        canceled[INTAKE] = true;
        canceled[WORK] = true;
#endif
#ifdef FAULT_METRICS_WITH_THE_REST
        canceled[METRICS] = true
#endif
    }
    OTHERS_DOWN
}

#ifdef FAULT_SECOND_SIGNAL_IGNORED
#define ENOUGH deadline
#else
#define ENOUGH (deadline || signals > 1)
#endif

active proctype shutdown()
{
    atomic {
        start(0);
        start(1);
        start(2);
#ifdef FULL
        start(3)
#endif
    }
    signals > 0;
    flip();
    asked[INTAKE] = true;
    if
    :: state[0] == Down ->
        asked[WORK] = true;
        if
        :: WORK_DOWN
        :: ENOUGH -> cancel_others()
        fi
    :: ENOUGH -> cancel_others()
    fi;
    canceled[METRICS] = true;
    state[LAST] == Down;
    atomic {
#ifndef FAULT_QUEUE_FORGOTTEN
        open = open - queued;   /* what is still queued is answered with an error */
#endif
        queued = 0;
        assert(open == 0);
        phase = Stopped
    }
}

/* ---- the world: a first signal comes, a second may; time passes ---- */

active proctype operator()
{
    signals = 1;
    if
    :: signals = 2
    :: skip
    fi
}

#ifndef NO_CLOCK
active proctype clock()
{
    phase != Running;
    deadline = true
}
#endif

ltl drain_ends { [] (signals > 0 -> <> (phase == Stopped)) }
ltl second_signal_ends { [] (signals > 1 -> <> (phase == Stopped)) }
ltl readiness_first { [] (!intake -> !ready) }
ltl metrics_last { [] (canceled[METRICS] -> OTHERS_DOWN) }
