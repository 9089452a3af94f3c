/* novelty.h - how much of what a page says no page before it has said.
 *
 *     struct novelty *novelty = novelty_new();
 *     int share = novelty_add(novelty, text, len);        (1000: all of it is new)
 *     ...
 *     novelty_free(novelty);
 *
 * Runs of five words are compared, without case and punctuation, of the first 4,000 words of a
 * text.  They are kept as bits of a table of fixed size: where that fills up, a little that is
 * new is taken for known (one run in ten after a hundred thousand).
 */
#ifndef WR_QUEUE_NOVELTY_H
#define WR_QUEUE_NOVELTY_H

#include <stddef.h>

#define NOVELTY_WORDS_MAX 4000

struct novelty;

/* NULL: there is no memory. */
struct novelty *novelty_new(void);
void novelty_free(struct novelty *novelty);

/* Of a thousand runs so many are new, and known from now on; -1: the text is too short to say.
 * It takes some 0.1 ms. */
int novelty_add(struct novelty *novelty, const char *text, size_t len);

/* ... of all texts so far. */
int novelty_share(const struct novelty *novelty);

#endif
