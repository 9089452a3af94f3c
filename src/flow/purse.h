/* purse.h - extra work that is paid for by ordinary work.
 *
 *     struct purse purse;
 *     purse_init(&purse, 200, 100, 0);     (each question pays a fifth of a new try)
 *     purse_pay(&purse);                   (a question)
 *     if (purse_spend(&purse))             (a new try)
 *
 * So however bad things are, of the extra there is never more than that part of the ordinary,
 * and what was saved up.  Any thread may pay and spend; no lock is taken.
 */
#ifndef WR_FLOW_PURSE_H
#define WR_FLOW_PURSE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct purse {
    _Atomic int64_t saved;          /* all in thousandths of what is spent at a time */
    int64_t each, most;
};

/* `permille` of one is paid in at a time; `most` can be saved up, `first` are there. */
void purse_init(struct purse *purse, uint32_t permille, uint32_t most, uint32_t first);

void purse_pay(struct purse *purse);

/* Take one out; false when there is not a whole one. */
bool purse_spend(struct purse *purse);

#endif
