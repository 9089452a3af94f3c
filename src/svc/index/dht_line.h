/* dht_line.h - the DHT, which may come and go while others use it.
 *
 *     its task:                                       who asks, in any fiber:
 *     err = dht_open(&dht, &conf);                    struct dht_hold hold;
 *     dht_line_attach(line, dht);                     err = dht_line_take(line, &hold);
 *     err = dht_run(dht);                             if (!err) {
 *     dht_line_detach(line);                              err = dht_find(hold.dht, ...);
 *     dht_close(dht, deadline);                           err = dht_line_give(&hold, err);
 *                                                     }
 *
 * Whoever detaches it has it for himself afterwards: those who are using it have been canceled
 * and are gone.  To them that is DEGRADED, there is no DHT, as to those who come when there is
 * none.
 */
#ifndef WR_INDEX_DHT_LINE_H
#define WR_INDEX_DHT_LINE_H

#include <stdbool.h>

#include <weir/err.h>
#include <weir/scope.h>
#include <weir/task.h>

struct dht;
struct dht_line;

/* A plain value of one fiber. */
struct dht_hold {
    struct dht *dht;
    struct dht_line *line;              /* these are the line's */
    struct wr_scope *scope;
    struct dht_hold *next, **link;
    struct wr_cleanup cleanup;          /* a task that panics holds it no more */
    bool cut;
};

/* Errors: NOMEM. */
wr_err dht_line_new(struct dht_line **ret);

/* Nobody is believed about names: whatever is attached knows of none.  Before it is used. */
void dht_line_without_names(struct dht_line *line);
bool dht_line_knows_names(const struct dht_line *line);

/* Nothing is attached.  NULL is allowed. */
void dht_line_free(struct dht_line *line);

/* From now on there is one; there must be none.  Does not wait.  Errors: NOMEM. */
wr_err dht_line_attach(struct dht_line *line, struct dht *dht);

/* From now on there is none; with none nothing happens.  Waits, whatever has become of the
 * caller's scope, until nobody uses it. */
void dht_line_detach(struct dht_line *line);

/* Use it until dht_line_give: the fiber's waits are in a scope of the hold meanwhile.
 * Errors: DEGRADED (there is none), NOMEM; CANCELED, TIMEOUT, BUSY: as wr_scope_new. */
wr_err dht_line_take(struct dht_line *line, struct dht_hold *hold);

/* `err` is what came of it; CANCELED because it was detached is returned as DEGRADED. */
wr_err dht_line_give(struct dht_hold *hold, wr_err err);

/* Whether there is one.  Any thread. */
bool dht_line_is_up(struct dht_line *line);

#endif
