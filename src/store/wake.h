/* wake.h - word that there may be something to do, by name.
 *
 * Who waits for work of a slot waits for a number to rise; who has committed some raises it.
 * Nothing is handed over: those who wake look for themselves, and what came while nobody
 * waited is seen by the next wait.  There are as many names as the program has slots, at most
 * WAKES_MAX.
 */
#ifndef WR_STORE_WAKE_H
#define WR_STORE_WAKE_H

#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>
#include <weir/lock.h>
#include <weir/panic.h>
#include <weir/time.h>
#include <weir/watch.h>

#define WAKES_MAX 64
#define WAKE_NAME_MAX 64

struct wakes {
    struct wr_mutex lock;           /* guards all below */
    void (*heard)(void *arg, const char *name);     /* or NULL */
    void *arg;
    size_t count;
    struct wake {
        char name[WAKE_NAME_MAX];
        struct wr_watch *watch;
        struct wr_watch_writer writer;
        uint64_t raised;
    } wakes[WAKES_MAX];
};

void wakes_init(struct wakes *wakes);
void wakes_fini(struct wakes *wakes);

/* Any thread.  A name that nobody has waited for yet is nobody's business. */
void wakes_raise(struct wakes *wakes, const char *name);

/* Word came from elsewhere: raise it, and tell who listens.  NULL: some may have been lost, so
 * it is all of them. */
void wakes_hear(struct wakes *wakes, const char *name);

/* From now on this is called with what comes from elsewhere, under the lock; NULL: nobody. */
void wakes_listen(struct wakes *wakes, void (*heard)(void *arg, const char *name), void *arg);

/* Wait until the name was raised since *seen was set here; with *seen 0 at once.
 * Errors: TIMEOUT, CANCELED; INVALID (too long a name), BUSY (too many names), NOMEM. */
wr_err wakes_wait(struct wakes *wakes, const char *name, uint64_t *seen, wr_time deadline,
                  const char *place);

#endif
