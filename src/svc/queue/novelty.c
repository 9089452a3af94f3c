/* novelty.c - see novelty.h. */
#include "svc/queue/novelty.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define RUN 5                           /* words */
#define BITS ((size_t)1 << 20)

struct novelty {
    uint64_t all, new;
    unsigned char bits[BITS / 8];
};

struct novelty *novelty_new(void)
{
    return calloc(1, sizeof(struct novelty));
}

void novelty_free(struct novelty *novelty)
{
    free(novelty);
}

static bool is_letter(unsigned char c)
{
    return isalnum(c) || c >= 0x80;
}

/* Whether this run was not there. */
static bool note(struct novelty *novelty, const uint64_t *words, size_t last)
{
    uint64_t run = 0;
    for (size_t i = 0; i < RUN; i++)    /* from the oldest on */
        run = (run ^ words[(last + 1 + i) % RUN]) * 0x9e3779b97f4a7c15u;
    size_t bit = (run >> 40) % BITS;
    unsigned char mask = (unsigned char)(1u << bit % 8), *byte = &novelty->bits[bit / 8];
    bool new = !(*byte & mask);
    *byte |= mask;
    return new;
}

static int share(uint64_t new, uint64_t all)
{
    return all ? (int)(new * 1000 / all) : -1;
}

int novelty_add(struct novelty *novelty, const char *text, size_t len)
{
    uint64_t words[RUN], all = 0, new = 0;
    size_t count = 0;
    for (size_t i = 0; i < len && count < NOVELTY_WORDS_MAX;) {
        uint64_t word = 14695981039346656037u;
        size_t begin = i;
        for (; i < len && is_letter((unsigned char)text[i]); i++)
            word = (word ^ (uint64_t)tolower((unsigned char)text[i])) * 1099511628211u;
        if (i == begin) {
            i++;
            continue;
        }
        words[count % RUN] = word;
        if (++count < RUN)
            continue;
        all++;
        new += note(novelty, words, (count - 1) % RUN);
    }
    novelty->all += all;
    novelty->new += new;
    return share(new, all);
}

int novelty_share(const struct novelty *novelty)
{
    return share(novelty->new, novelty->all);
}
