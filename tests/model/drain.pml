/* drain.pml - supervision and shutdown: it ends, in order, and loses nothing.
 *
 * Running -> Draining -> (Aborting) -> Stopped.  The phase turns first; then the
 * groups are told to finish, one after the other, inside the deadline; who is
 * not gone by then is canceled, and the first group of the list, metrics, leaves
 * last.  A second order to stop cancels at once.  docs/design/0003-models.md says
 * which line of src/rt/sup.c and src/rt/child.c each part stands for.
 *
 * Children are as bad as the rules allow: they fail at any time, ignore that they
 * were told, hang in a piece of work.  Only a cancel must be obeyed, because every
 * wait returns then.
 *
 * Faults are compiled in with -DFAULT_...; each must be found (spin.sh).
 * -DTWO has a second worker, -DLEAN no requests.
 */
#ifdef TWO
#define CHILDREN 4              /* metrics, work, work, intake: in the order of the list */
#define GROUP(c) (c == 0 -> 0 : (c == 3 -> 2 : 1))
#else
#define CHILDREN 3
#define GROUP(c) (c)
#endif
#define METRICS  0
#define WORK     1              /* groups */
#define INTAKE   2
#ifdef LEAN
#define REQUESTS 0              /* only who leaves when, not what with */
#else
#define REQUESTS 1
#endif

mtype:phase = { Running, Draining, Aborting, Stopped };
mtype:state = { New, Starting, Run, Backoff, Down, Drain, Abort, Gone };
mtype:note = { Begun, Ended };

mtype:phase phase = Running;
mtype:state st[CHILDREN] = New;
chan notes = [2 * CHILDREN] of { byte, mtype:note };

bool stop, abort;               /* the two orders, as wr_sup_stop gives them */
bool deadline;                  /* drain_within is over */
bool go[CHILDREN];              /* a keeper was started */
bool told[CHILDREN];            /* the child's drain event */
bool exposed[CHILDREN];         /* its scope can be canceled */
bool early[CHILDREN];           /* a cancel came, perhaps before there was a scope */
bool canceled[CHILDREN];        /* its scope is canceled */

byte failures_left = 1, restarts_left = 1;
byte requests_left = REQUESTS;
byte queued, open;              /* requests: waiting; accepted and not yet answered */

#ifdef TWO
#define OTHERS_GONE (st[1] == Gone && st[2] == Gone && st[3] == Gone)
#define TOLD_ANY    (told[0] || told[1] || told[2] || told[3])
#else
#define OTHERS_GONE (st[1] == Gone && st[2] == Gone)
#define TOLD_ANY    (told[0] || told[1] || told[2])
#endif

/* ---- a child and its keeper: child.c, keep() and run_child() ---- */

inline serve()                  /* spec->run(): until told, failed or canceled */
{
    do
    :: canceled[me] -> break
    :: told[me] && !stubborn && !busy && (group != WORK || queued == 0) -> break
    :: atomic { group == INTAKE && !told[me] && !canceled[me] && requests_left > 0 &&
            queued == 0 ->
        requests_left--; open++; queued++ }
    :: atomic { group == WORK && queued > 0 && !busy ->
        queued--; busy = true;
        if
        :: hangs = true
        :: hangs = false
        fi }
    :: atomic { busy && !hangs -> busy = false; open-- }
    :: atomic { failures_left > 0 -> failures_left--; break }
    od;
    atomic {                    /* what it had in hand is answered with an error */
        if
        :: busy -> busy = false; open--
        :: else
        fi
    }
}

proctype child(byte me; bool stubborn)
{
    byte group = GROUP(me);
    bool busy, hangs;

    do
    :: atomic { go[me] -> go[me] = false };
        atomic {                /* expose(child, scope) */
            exposed[me] = true;
            canceled[me] = early[me]
        };
        if
        :: canceled[me]         /* wr_scope_go refuses: it never begins */
        :: !canceled[me] ->
            notes ! me, Begun;
            serve()
        fi;
        exposed[me] = false;    /* expose(child, NULL), then the scope is closed */
        notes ! me, Ended
    :: phase == Stopped -> break
    od
}

/* ---- what happens to one child: the table of child.c ---- */

inline cancel(c)
{
#ifdef FAULT_CANCEL_UNLOCKED
    if
    :: exposed[c] -> atomic { assert(exposed[c]); canceled[c] = true }
    :: else
    fi;
    early[c] = true
#else
    atomic {
#ifndef FAULT_CANCEL_TOO_EARLY
        early[c] = true;
#endif
        if
        :: exposed[c] -> canceled[c] = true
        :: else
        fi
    }
#endif
}

inline start(c)
{
    atomic { assert(phase == Running); st[c] = Starting; go[c] = true }
}

inline drain(c)
{
    if
    :: st[c] == New || st[c] == Backoff || st[c] == Down -> st[c] = Gone
    :: st[c] == Starting || st[c] == Run -> atomic { st[c] = Drain; told[c] = true }
    :: st[c] == Gone
    fi
}

inline cut(c)
{
    if
    :: st[c] == New || st[c] == Backoff || st[c] == Down -> st[c] = Gone
    :: st[c] == Starting || st[c] == Run || st[c] == Drain ->
#ifndef FAULT_NO_CANCEL
        cancel(c);
#endif
        st[c] = Abort
    :: st[c] == Abort || st[c] == Gone
    fi
}

inline end(c)                   /* again(), leave() */
{
    atomic {
        if
        :: st[c] == Drain || st[c] == Abort -> st[c] = Gone
#ifdef FAULT_RESTART_IN_DRAIN
        :: (st[c] == Starting || st[c] == Run) && restarts_left > 0 ->
            restarts_left--; st[c] = Backoff
#else
        :: (st[c] == Starting || st[c] == Run) && phase != Running -> st[c] = Gone
        :: (st[c] == Starting || st[c] == Run) && phase == Running && restarts_left > 0 ->
            restarts_left--; st[c] = Backoff
#endif
        :: (st[c] == Starting || st[c] == Run) && phase == Running && restarts_left == 0 ->
            st[c] = Down
        fi
    }
}

inline take(c, note)
{
    if
    :: note == Begun ->
        if
        :: st[c] == Starting -> st[c] = Run
        :: st[c] == Drain || st[c] == Abort
        fi
    :: note == Ended -> end(c)
    fi
}

/* ---- the supervisor's fiber: sup.c, supervise() ---- */

/* From the last to the first.  Only its own fiber looks at a child's state, so what
 * others see of a turn of the loop is the phase, what is told, and what is canceled. */
#define each(from, to, action) \
    atomic { c = to; do :: c > from -> c--; action(c) :: c == from -> break od }

inline gone_or_idle(c)          /* begin_drain(): who does not run has nothing to finish */
{
    if
    :: st[c] == New || st[c] == Backoff || st[c] == Down -> st[c] = Gone
    :: else
    fi
}

inline fire_due()
{
    if
    :: phase == Running && stop ->
#ifdef FAULT_TOLD_BEFORE_THE_PHASE
        each(CHILDREN - 1, CHILDREN, drain);
#endif
        phase = Draining;
        each(0, CHILDREN, gone_or_idle)
    :: else
    fi;
    if
#ifdef FAULT_SECOND_ORDER_IGNORED
    :: phase == Draining && deadline ->
#else
    :: phase == Draining && (deadline || abort) ->
#endif
        phase = Aborting;
#ifdef FAULT_METRICS_WITH_THE_REST
        each(0, CHILDREN, cut)
#else
        each(low, high, cut)
#endif
    :: else
    fi
}

/* stop_groups(): the next group when one is gone. */
inline stop_groups()
{
    do
    :: low > 0 && group_gone ->
        atomic {
            high = low;
            do
            :: low > 0 && GROUP(low - 1) == GROUP(high - 1) -> low--
            :: else -> break
            od
        };
        if
        :: phase == Aborting -> each(low, high, cut)
        :: else -> each(low, high, drain)
        fi;
        look()
    :: else -> break
    od
}

inline look()                   /* group_gone() */
{
    atomic {
        group_gone = true;
        c = low;
        do
        :: c < high ->
            if
            :: st[c] != Gone -> group_gone = false
            :: else
            fi;
            c++
        :: c == high -> break
        od;
        c = 0
    }
}

inline start_in_order()
{
    atomic {
        do
        :: starting < CHILDREN && st[starting] == New -> start(starting)
        :: starting < CHILDREN && st[starting] != New && st[starting] != Starting -> starting++
        :: else -> break
        od
    }
}

#ifdef NO_CLOCK
#define TIME_FOR_ALL false
#else
#define TIME_FOR_ALL (phase == Draining && !deadline)
#endif

/* The first that comes: a note, an order, a moment. */
inline await()
{
    if
    :: atomic {
            notes ? c, note -> take(c, note);
            do
            :: notes ? c, note -> take(c, note)
            :: empty(notes) -> break
            od
        }
    :: phase == Running && stop
    :: phase == Draining && abort
    :: TIME_FOR_ALL -> deadline = true
    :: st[CHILDREN - 1] == Drain -> cut(CHILDREN - 1)      /* its own stop_within */
    :: st[WORK] == Backoff -> start(WORK)
    :: st[CHILDREN - 1] == Backoff -> start(CHILDREN - 1)
    :: st[METRICS] == Backoff -> start(METRICS)
#ifdef TWO
    :: st[2] == Backoff -> start(2)
#endif
    fi
}

active proctype supervisor()
{
    byte low = CHILDREN, high = CHILDREN, starting, c;
    mtype:note note = Begun;
    bool group_gone;

    atomic {
        c = 0;
        do
        :: c < CHILDREN ->
            if
            :: run child(c, true)
            :: run child(c, false)
            fi;
            c++
        :: else -> break
        od;
        c = 0
    }
    do
    :: fire_due();
        if
        :: phase == Running -> start_in_order()
        :: else -> atomic {
                look();
                stop_groups();
                c = 0;
                note = Begun;
                if
                :: low == 0 && group_gone -> goto stopped
                :: else
                fi
            }
        fi;
        await()
    od;
stopped:
    atomic {                    /* finish(): what is still queued is answered with an error */
#ifndef FAULT_QUEUE_FORGOTTEN
        open = open - queued;
#endif
        queued = 0;
        assert(open == 0 && empty(notes) && OTHERS_GONE && st[METRICS] == Gone);
        phase = Stopped
    }
}

/* ---- the world: a first order to stop comes, a second may ---- */

active proctype operator()
{
    stop = true;
    if
    :: abort = true
    :: skip
    fi
}

ltl drain_ends { [] (stop -> <> (phase == Stopped)) }
ltl second_order_ends { [] (abort -> <> (phase == Stopped)) }
ltl phase_first { [] (TOLD_ANY -> phase != Running) }
ltl metrics_last { [] ((told[METRICS] || early[METRICS]) -> OTHERS_GONE) }
