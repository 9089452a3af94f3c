/* reject.h - what was turned away, and why: rejected_total{reason}. */
#ifndef WR_NET_REJECT_H
#define WR_NET_REJECT_H

#include "net/call.h"

/* `reason` is one word of a few. */
void reject_count(const char *reason);

/* The same for an answer: by the word that whoever refused it left in the call, else by
 * its status (unauth, 413, 415, 429, 503); an answer that refuses nothing is not counted. */
void reject_count_call(const struct wr_call *call);

#endif
