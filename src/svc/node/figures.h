/* figures.h - the text of the metrics page.
 *
 *     wr_err get_metrics(struct wr_call *call)
 *     {
 *         return figures_serve(node->figures, call);
 *     }
 *
 * Writing it costs as much as a hundred small answers, and everybody may ask.  So it is
 * written anew a few times in a tenth of a second, and who asks more often gets the last
 * one again, which is not older than that.
 */
#ifndef WR_NODE_FIGURES_H
#define WR_NODE_FIGURES_H

#include <weir/err.h>
#include <weir/http.h>

#define FIGURES_SPAN WR_MS(100)
#define FIGURES_FRESH_MAX 8             /* times in it */

struct figures;

/* Errors: NOMEM. */
wr_err figures_new(struct figures **ret);
void figures_free(struct figures *figures);

/* Answer a call with them.  Errors: NOMEM, BUSY (others read them all the time), and those
 * of a wait. */
wr_err figures_serve(struct figures *figures, struct wr_call *call);

#endif
