/* intake.h - the documents that were handed in: those that wait, and the reports of the others.
 *
 *     err = intake_new(&intake, &(struct intake_conf){ .kept_max = 256, .ttl = WR_S(86400) });
 *     ...who hands in:
 *     err = intake_take(intake, &(struct dossier_conf){ .name = name, .body = &body },
 *                       &dossier);
 *     ...who works:
 *     err = wr_chan_recv(intake_waiting(intake), &dossier, WR_NEVER);
 *     dossier_work(dossier, panel, deadline);
 *     intake_ended(intake, dossier, deadline);
 *     dossier_unref(dossier);
 *     ...who asks:
 *     err = intake_find(intake, id, &dossier, deadline);
 *
 * Everything is bounded: those that wait, in number and bytes (one too many is BUSY); and the
 * reports, in number, bytes and time, of which the oldest goes first.
 *
 * With a store reports are put there too, for as long: they outlive the process, and another
 * node on the same store has them.  One that is larger than a row of it stays in memory alone.
 */
#ifndef WR_CHECK_INTAKE_H
#define WR_CHECK_INTAKE_H

#include <weir/chan.h>

#include "store/store.h"
#include "svc/check/dossier.h"

struct intake;

/* Zero is the default of everything. */
struct intake_conf {
    size_t kept_max;            /* reports; 256 */
    size_t bytes_max;           /* ... in all, in memory; 256 MiB */
    wr_time ttl;                /* of a report; 24 h */
    size_t waiting_max;         /* documents; 64.  Not changed by intake_tune */
    size_t waiting_bytes_max;   /* ... in all; 512 MiB */
    struct store *store;        /* NULL: none.  Not changed by intake_tune */
};

/* Errors: NOMEM. */
wr_err intake_new(struct intake **ret, const struct intake_conf *conf);

/* Nobody may be using it.  NULL is allowed. */
void intake_free(struct intake *intake);

/* Other bounds from now on. */
void intake_tune(struct intake *intake, const struct intake_conf *conf);

/* Have a document checked.  *ret is held for the caller; the body is taken over in any case.
 * Errors: BUSY (too many wait), DRAINING, NOMEM. */
wr_err intake_take(struct intake *intake, const struct dossier_conf *conf,
                   struct dossier **ret);

/* Dossiers that wait, each held for who receives it. */
struct wr_chan *intake_waiting(struct intake *intake);

/* It has ended: its report is kept, and put into the store.  May wait for that. */
void intake_ended(struct intake *intake, struct dossier *dossier, wr_time deadline);

/* One by its id, held for the caller.  Errors: NOTFOUND (never, or no longer); TIMEOUT,
 * CANCELED. */
wr_err intake_find(struct intake *intake, const char *id, struct dossier **ret,
                   wr_time deadline);

/* Forget one, and stop it if it runs.  Errors: NOTFOUND; of the store. */
wr_err intake_drop(struct intake *intake, const char *id, wr_time deadline);

/* All that run and have not ended: `each` is called for them.  It must not wait. */
void intake_running(struct intake *intake, void (*each)(struct dossier *dossier));

/* Let go of what is too old or too much. */
void intake_tidy(struct intake *intake);

#endif
