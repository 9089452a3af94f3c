/* ready.pml - readiness: nothing comes in that could not be served, and who asks is told
 * before the doors close.
 *
 * Keys stand in a row, each with a probe and with the earlier keys it needs, as in
 * src/svc/node/ready.c; whoever looks probes one after the other while the things
 * themselves come and go.  docs/design/0003-models.md says what stands for what.
 *
 * A look takes time, so it cannot promise what is true when it ends.  What it can
 * promise: a required thing that was down all through the look lets nothing in.
 * up_seen says which were up at some moment of it.
 *
 * Faults are compiled in with -DFAULT_...; each must be found (spin.sh).
 */
#define CONFIG   0              /* vital */
#define POLICY   1              /* not vital itself; the service needs it */
#define WORKERS  2              /* vital: one worker is enough */
#define SERVICE  3              /* required: it must be whole */
#define NETWORK  4              /* vital */
#define KEYS     5
#define POOL     2              /* workers */

#define Unready  0
#define Degraded 1
#define Ready    2

byte up;                        /* workers that run */
bool there[KEYS];               /* what a probe of the others finds; WORKERS: started */
bool leaving;                   /* ready_leave */
bool told_intake, told_workers, closed, stop, stopped;
byte outages = 2, crashes = 3, requests = 2;
byte queued;
bool let_in, let_in_degraded;   /* it has happened: the model is not empty */

#define POOL_READY (up == POOL)
#ifdef FAULT_ALL_OR_NOTHING
#define POOL_DEGRADED false
#else
#define POOL_DEGRADED (up > 0 && up < POOL)
#endif
#define POOL_HEALTH (POOL_READY -> Ready : (POOL_DEGRADED -> Degraded : Unready))

#define PROBE(k) (k == WORKERS -> POOL_HEALTH : (there[k] -> Ready : Unready))

/* ---- ready_look, one key at a time ---- */

/* The needs of a key, as rows before it. */
#ifdef FAULT_NEEDS_IGNORED
#define NEEDS_MET(k) true
#else
#define NEEDS_MET(k) (k == CONFIG || k == POLICY -> true : \
    (k == SERVICE -> view[POLICY] > Unready && view[WORKERS] > Unready : \
     view[CONFIG] > Unready))
#endif

/* prevents(): the policy has no row of its own that could. */
#define PREVENTS(k) \
    ((k != POLICY && view[k] == Unready) || (k == SERVICE && view[k] != Ready))

inline look()
{
    atomic {
        left_before = leaving;
        k = 0;
        do
        :: k < KEYS -> up_seen[k] = PROBE(k) > Unready; k++
        :: else -> break
        od;
        ready = true; degraded = false; k = 0
    };
    do
    :: k < KEYS -> atomic {
            if
            :: NEEDS_MET(k) -> view[k] = PROBE(k)
            :: else -> view[k] = Unready
            fi;
            see();
            ready = ready && !PREVENTS(k);
            degraded = degraded || view[k] != Ready;
            k++
        }
    :: else -> break
    od;
#ifndef FAULT_LEAVING_FORGOTTEN
    atomic { ready = ready && !leaving; see() }
#endif
}

inline see()                    /* what came up since is up at a moment of the look */
{
    j = 0;
    do
    :: j < KEYS -> up_seen[j] = up_seen[j] || PROBE(j) > Unready; j++
    :: else -> break
    od;
    j = 0
}

/* ---- the things: they start in order, fail, and come back ---- */

active proctype supervisor()
{
    byte k = 0;
    do
    :: k < KEYS && !stop ->
        if
        :: k == WORKERS -> atomic { up = POOL; there[k] = true }
        :: else -> there[k] = true
        fi;
        k++
    :: k == KEYS || stop -> break
    od;
    stop;
#ifdef FAULT_TOLD_BEFORE_LEAVING
    told_intake = true;
    leaving = true;
#else
    leaving = true;             /* the phase turns, and readiness with it */
    told_intake = true;
#endif
    closed;                     /* the intake is gone: now the workers finish */
    told_workers = true;
#ifdef FAULT_WAITS_FOR_THE_QUEUE
    queued == 0;
#else
    (queued == 0 || up == 0);
#endif
    atomic { queued = 0; stopped = true }   /* what is left is answered with an error */
}

active proctype trouble()
{
    do
    :: atomic { outages > 0 && there[POLICY] -> there[POLICY] = false; outages-- }
    :: atomic { outages > 0 && there[SERVICE] -> there[SERVICE] = false; outages-- }
    :: atomic { !there[POLICY] && there[WORKERS] && !stop -> there[POLICY] = true }
    :: atomic { !there[SERVICE] && there[NETWORK] && !stop -> there[SERVICE] = true }
    :: atomic { crashes > 0 && up > 0 -> up--; crashes-- }
    :: atomic { there[WORKERS] && up < POOL && !stop -> up++ }
    :: stop -> break
    od
}

/* ---- the intake ---- */

active proctype intake()
{
    byte view[KEYS];
    bool up_seen[KEYS], ready, degraded, left_before;
    byte k, j;
    do
    :: told_intake -> break
    :: !told_intake && requests > 0 && there[NETWORK] && queued == 0 ->
        requests--;
#ifdef FAULT_REMEMBERED
        if
        :: !let_in -> look()
        :: else                 /* it was ready a moment ago */
        fi;
        atomic { k = 0; do :: k < KEYS -> up_seen[k] = PROBE(k) > Unready; k++
                           :: else -> break od; k = 0 };
#else
        look();
#endif
        atomic {
            if
            :: ready ->
                assert(up_seen[CONFIG] && up_seen[POLICY] && up_seen[WORKERS] &&
                       up_seen[SERVICE] && up_seen[NETWORK]);
                assert(!left_before);
                queued++;
                let_in = true;
                let_in_degraded = let_in_degraded || degraded
            :: else             /* 503 */
            fi
        }
    od;
    closed = true
}

active [POOL] proctype worker()
{
    do
    :: atomic { queued > 0 && up > 0 -> queued-- }
    :: told_workers && queued == 0 -> break
    :: stopped -> break
    od
}

active proctype operator()
{
    stop = true
}

ltl drain_ends { [] (stop -> <> stopped) }
ltl ready_first { [] ((told_intake || closed) -> leaving) }
ltl degrade_first { [] (POOL_READY -> (POOL_READY W (POOL_DEGRADED || leaving))) }
ltl lets_nobody_in { [] !let_in_degraded }
