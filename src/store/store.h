/* store.h - what must not be lost.
 *
 *     struct store_why why;
 *     err = store_open(&store, &(struct store_conf){ .url = "sqlite:/var/lib/weir/weir.db" },
 *                      &why, wr_after(WR_S(10)));
 *     ...
 *     store_close(store, wr_after(WR_S(3)));
 *
 * Two engines stand behind the same calls, and one suite of tests runs on both:
 *
 *   sqlite:PATH      a file, for one node.  All writes go through one thread that commits
 *                    whatever came during the last fsync at once; readers run beside it.
 *   sqlite:          in memory: amnesia, and tests.
 *   postgres://...   a server, for many nodes.  The same batches, over connections that are
 *                    kept; the server's clock decides about leases.  Tables are made where the
 *                    url's search_path leads (options=-csearch_path%3DNAME); what else it says
 *                    in `options` goes before our own limits.  Who opens it closes it, after
 *                    the scopes that it has made since: it has tasks in a scope of its own
 *                    below that of its opener, and ends with that one.
 *
 * A call that returns WR_OK has its effect on the disk: it survives a power cut.  One that
 * returns TIMEOUT or CANCELED was not done.  One that returns IO may have been done (the
 * connection broke at the commit): calls that carry a key can be repeated, and say EXISTS.
 * A store that cannot write any more (full or read-only disk, server gone) returns IO at
 * once, says why (store_health), and goes on by itself when it can.
 *
 * Every call may wait.  One that has not begun by its deadline ends then, undone; one that has
 * begun in a file is waited for, since it uses the caller's memory: a commit takes as long as
 * the disk does, a read at most read_max, and opening a file anew, which a degraded store tries
 * once a second, up to 2 s while another process has it locked.  Texts and blobs of results are
 * in the result's own memory, which store_rows_free gives back.
 *
 * The tables have a file each: job.h, cache_row.h, budget.h, idempotency.h, pointer.h,
 * reward.h, serving.h, audit.h, blob.h; those of research begin at evidence.h; removal.h
 * forgets them.
 */
#ifndef WR_STORE_STORE_H
#define WR_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>
#include <weir/panic.h>
#include <weir/time.h>

struct store;

/* A sentence for a person: what happened, with which value, what to do. */
#define STORE_WHY_MAX 256
struct store_why { char text[STORE_WHY_MAX]; };

/* Zero is the default of everything but the url. */
struct store_conf {
    const char *url;
    const char *disk;               /* sqlite: another disk than the machine's (disk.h) */
    unsigned readers;               /* connections that read; 4 */
    unsigned writers;               /* postgres: connections that write; 2 */
    size_t queue_max;               /* writes that may wait; 4096 */
    size_t batch_max;               /* writes in one transaction; 256 */
    wr_time read_max;               /* a read transaction is cut off after this; 250 ms, with
                                     * postgres 5 s */
    wr_time sweep;                  /* postgres: who waits is woken after this long, in case
                                     * word was lost; 2 s */
};

enum store_state { STORE_OK, STORE_DEGRADED };

struct store_health {
    enum store_state state;
    struct store_why why;           /* of STORE_DEGRADED */
    uint64_t writes, batches;
    uint64_t batches_slow;          /* of these: took more than 5 ms */
    uint64_t wal_bytes;             /* sqlite */
};

/* Opens, checks and brings the tables up to date.  A file that a newer program has written
 * is refused.  Errors: INVALID (the url, or a newer one), DENIED, NOTFOUND (the folder), BUSY
 * (another process has it), IO (it is damaged, or the server cannot be reached), NOMEM;
 * TIMEOUT, CANCELED; with a sentence in *why. */
wr_err store_open(struct store **ret, const struct store_conf *conf, struct store_why *why,
                  wr_time deadline);

/* Where the file of a sqlite: store is: the whole path, with links followed, since its lock and
 * its blobs lie beside the file itself.  It need not be there.  Errors: INVALID (it has more
 * than `size` bytes), NOMEM. */
wr_err store_true_path(char *ret, size_t size, const char *path);

/* What was acknowledged is safe without this; it closes what is open.  Nobody may be using
 * it.  NULL is allowed. */
void store_close(struct store *store, wr_time deadline);

void store_health(struct store *store, struct store_health *ret);

/* Word between the nodes of a server.  `heard` is called with each name that another one tells;
 * with NULL, when some may have been lost and everything is to be looked at: after a lost
 * connection, and each `sweep`.  It must not wait or call the store, and may take locks of a
 * rank above 500.  NULL: nobody listens.  A file has no others: nothing is ever heard. */
void store_listen(struct store *store, void (*heard)(void *arg, const char *name), void *arg);

/* Whether others use it too: a server's is, a file is the process's own. */
bool store_is_shared(const struct store *store);

/* Tell them: after the commit, once in a few milliseconds for each name. */
void store_tell(struct store *store, const char *name);

/* Every page and every index is read.  WR_OK: it is sound.  Errors: IO, with the first fault
 * in *why. */
wr_err store_check(struct store *store, struct store_why *why, wr_time deadline);

/* A consistent copy into a new file, while all goes on; wr_file_sync puts it on the disk, as
 * the writers do not wait for that.  After an error nothing is left of it.  Errors: NOTFOUND
 * (the folder), EXISTS, DENIED, IO, NOMEM, UNSUPPORTED (postgres: it has tools of its own,
 * which *why names). */
wr_err store_backup(struct store *store, const char *path, struct store_why *why,
                    wr_time deadline);

#endif
