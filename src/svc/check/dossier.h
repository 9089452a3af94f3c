/* dossier.h - a document that was handed in, what happens to it, and its report.
 *
 *     err = dossier_new(&dossier, &(struct dossier_conf){ .name = "refs.bib", .body = &body });
 *     ...later, in a task that may wait:
 *     dossier_work(dossier, &panel, wr_after(WR_S(1800)));
 *     ...meanwhile, any number of fibers:
 *     view = dossier_view(dossier);
 *     offset = dossier_events(dossier, offset, &text);
 *     ...at the end:
 *     text = dossier_form(dossier, 0);
 *     dossier_unref(dossier);
 *
 * What happens is kept as a text to which lines are added, of the form "NAME JSON": whoever
 * comes late reads from its beginning, whoever comes back from where he was.  The names:
 *
 *   read      a document was taken apart: its file and how many references it has
 *   unread    ... or could not be, and why
 *   begun     somebody looks at a reference
 *   done      ... and has found out about it
 *   report    the last line: all is found out, in figures
 *   failed    the last line instead: there is no report, and why
 *
 * A report is kept in every form it can be written in (form.h), so that nothing else of the
 * document stays.
 */
#ifndef WR_CHECK_DOSSIER_H
#define WR_CHECK_DOSSIER_H

#include <weir/bytes.h>
#include <weir/http.h>
#include <weir/watch.h>

#include "svc/check/form.h"
#include "svc/check/panel.h"

#define DOSSIER_ID_MAX 33               /* with the zero byte */
#define DOSSIER_NAME_MAX 200
#define DOSSIER_WHY_MAX 300

struct dossier;

enum dossier_state { DOSSIER_WAITING, DOSSIER_RUNNING, DOSSIER_DONE, DOSSIER_FAILED };

struct dossier_conf {
    const char *name;                   /* of the file; cut where it is too long */
    struct wr_body *body;               /* taken over, unless there is an error */
    bool one_per_line;
    bool offline;                       /* whatever the panel is: nobody outside is asked */
};

struct dossier_view {
    enum dossier_state state;
    size_t done, total;                 /* references */
    wr_err err;                         /* of one that failed, */
    char why[DOSSIER_WHY_MAX];          /* ... and a sentence */
    wr_time ended;                      /* of one that has */
    size_t bytes;                       /* that it keeps */
};

/* Errors: NOMEM. */
wr_err dossier_new(struct dossier **ret, const struct dossier_conf *conf);

/* One that was made elsewhere or before, of what dossier_pack gave.  Errors: NOMEM, INVALID. */
wr_err dossier_unpack(struct dossier **ret, const char *id, const void *bytes, size_t len);

/* The report in all its forms; of one that is done.  NULL without memory. */
struct wr_bytes *dossier_pack(const struct dossier *dossier);

struct dossier *dossier_ref(struct dossier *dossier);
void dossier_unref(struct dossier *dossier);            /* NULL is allowed */

/* Which nobody can guess. */
const char *dossier_id(const struct dossier *dossier);
const char *dossier_name(const struct dossier *dossier);

/* Take it apart, check it, and write its report.  Once.  What goes wrong is in it afterwards;
 * when time is over what is known by then is the report; a task that is canceled makes none. */
void dossier_work(struct dossier *dossier, const struct check_panel *panel, wr_time deadline);

/* Nobody waits for more: what is known is the report.  Does not wait. */
void dossier_stop(struct dossier *dossier);

/* There will be no report, unless there is one.  Does not wait. */
void dossier_fail(struct dossier *dossier, wr_err err, const char *why);

/* Its owner wants no report, and nobody is to have it.  Does not wait. */
void dossier_withdraw(struct dossier *dossier);
bool dossier_withdrawn(const struct dossier *dossier);

struct dossier_view dossier_view(struct dossier *dossier);

/* Which state, in a word. */
const char *dossier_word(enum dossier_state state);

/* Add the lines behind `from` to *ret, which is enough of them at once; where they end.  An
 * offset that is none is the beginning. */
size_t dossier_events(struct dossier *dossier, size_t from, struct wr_text *ret);

/* For who waits for more lines: of size_t, where they end; closed after the last. */
struct wr_watch_reader dossier_news(struct dossier *dossier);

/* The report in this form (check_forms), of one that is done; it stays with the dossier.  NULL:
 * it is too large in this form. */
const struct wr_text *dossier_form(const struct dossier *dossier, size_t form);

#endif
