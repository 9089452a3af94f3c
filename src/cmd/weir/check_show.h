/* check_show.h - what a person sees while references are checked.
 *
 * In a terminal a few lines at its bottom that change: how far it is, what is being looked
 * at, and of each source how many questions wait for it, what it has said, when it may be asked
 * next.  Elsewhere a line every two seconds in which something was found out, and every five in
 * which nothing was, with whom is waited for.  All of it goes to standard error; what was found
 * out is not shown here but reported at the end.
 */
#ifndef WEIR_CMD_CHECK_SHOW_H
#define WEIR_CMD_CHECK_SHOW_H

#include "svc/check/paper.h"

struct sources;
struct check_show;

/* NULL where there is no memory, or `quiet`: then nothing is shown.  `sources` may be NULL. */
struct check_show *check_show_new(const struct sources *sources, bool quiet);

/* For check_paper_conf.event; the arg is the show. */
void check_show_event(void *show, const struct check_event *event);

/* Of which document the next events are. */
void check_show_file(struct check_show *show, const char *file, size_t references);

/* The task that draws, until it is canceled. */
wr_err check_show_run(void *show);

/* Take away what was drawn.  NULL is allowed. */
void check_show_free(struct check_show *show);

#endif
