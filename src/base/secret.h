/* secret.h - where secrets live: a seam for the tests that watch them go. */
#ifndef WR_BASE_SECRET_H
#define WR_BASE_SECRET_H

#include <stddef.h>

struct wr_secret_heap {
    void *(*get)(size_t size);                  /* NULL when there is none */
    void (*put)(void *block, size_t size);      /* gets the block as the last user left it */
};

extern const struct wr_secret_heap *wr_secret_heap;

#endif
