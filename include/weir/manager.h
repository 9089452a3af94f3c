/* manager.h - the service manager that has started this process, if one has.
 *
 * systemd, and our own keeper, may hand over sockets that are listening already, so
 * that nobody is refused while the program starts again; and they want to be told
 * when it is ready, reloads, stops and lives.  All of that is said in environment
 * variables, which are taken once, before there are threads, and removed, so that
 * no child of ours believes that they are meant for it:
 *
 *     struct wr_manager *manager;
 *     char why[WR_MANAGER_WHY];
 *     if (wr_manager_open(&manager, why))
 *         refuse(why);                            // a sentence for the operator
 *     ...
 *     int fd = wr_manager_take(manager, "http");  // FileDescriptorName=http
 *     err = fd < 0 ? wr_listen(&listener, &conf->bind) : wr_listen_on(&listener, fd);
 *     ...
 *     (void)!wr_manager_tell(manager, WR_NEWS_READY, "serving on 127.0.0.1:8080");
 *
 * Without a manager every call works and does nothing.
 */
#ifndef WEIR_MANAGER_H
#define WEIR_MANAGER_H

#include <stddef.h>

#include <weir/addr.h>
#include <weir/err.h>
#include <weir/time.h>

#define WR_MANAGER_SOCKETS_MAX 32
#define WR_MANAGER_STATUS_MAX 200       /* bytes of a status; the rest is left out */
#define WR_MANAGER_WHY 240

struct wr_manager;

/* A socket that was handed over: it listens, is a stream, and is closed on exec. */
struct wr_passed {
    const char *name;           /* "unknown" when the manager gave none */
    struct wr_addr addr;        /* where it listens */
    int fd;                     /* -1 once it was taken */
};

enum wr_news {
    WR_NEWS_STATUS,             /* nothing but the status is new */
    WR_NEWS_READY,              /* it has started, or has reloaded */
    WR_NEWS_RELOADING,          /* until the next READY */
    WR_NEWS_STOPPING,
    WR_NEWS_ALIVE,              /* for the manager's watchdog */
};

/* Take the variables: LISTEN_PID, LISTEN_FDS, LISTEN_FDNAMES, NOTIFY_SOCKET,
 * WATCHDOG_PID, WATCHDOG_USEC.  What is meant for another process is ignored.  To be
 * called before wr_run, or in a simulation, where there are none.
 * Errors: INVALID (a variable or a descriptor is not what it must be: `why`, of
 * WR_MANAGER_WHY bytes, is a sentence that says which and what is allowed), NOMEM. */
wr_err wr_manager_open(struct wr_manager **ret, char *why);

/* What was not taken is closed.  NULL is allowed. */
void wr_manager_close(struct wr_manager *manager);

/* All sockets, in the manager's order; *ret points to them. */
size_t wr_manager_sockets(const struct wr_manager *manager, const struct wr_passed **ret);

/* The first socket of this name that was not taken yet, for wr_listen_on; it is the
 * caller's from now on.  -1: there is none. */
int wr_manager_take(struct wr_manager *manager, const char *name);

/* Tell the manager, with a line for people that it shows beside the service, or
 * NULL.  Does not wait.  Any thread may call it.
 * Errors: BUSY (it is behind with reading), NOTFOUND (it is gone), DENIED, NOFILE, IO. */
wr_err wr_manager_tell(const struct wr_manager *manager, enum wr_news news,
                       const char *status);

/* How often to tell WR_NEWS_ALIVE: twice in the time after which the manager takes
 * us for dead.  WR_NEVER: it does not watch. */
wr_time wr_manager_watchdog(const struct wr_manager *manager);

#endif
