/* keyring.h - the keys that tokens are made and verified with, in a file.
 *
 *     # kid and key, 64 hex digits; the first makes tokens, all verify them
 *     k-1f0c99e2 8d3c...
 *
 * Only its owner may read the file: one that is open to others is refused, and a new
 * one has mode 0600.  The keys are secrets from the moment they were read.
 *
 *     struct keyring *ring;
 *     char why[KEYRING_WHY];
 *     if (keyring_load(&ring, path, wr_after(WR_S(1)), why))
 *         ...why is a sentence for people
 *     wr_token_verify(&token, ring->keys, ring->count, &ask, &verdict);
 *     keyring_free(ring);
 */
#ifndef WR_NET_KEYRING_H
#define WR_NET_KEYRING_H

#include <weir/time.h>

#include "base/token.h"

#define KEYRING_MAX 16
#define KEYRING_WHY 512

struct keyring {
    size_t count;                           /* at least 1 */
    struct wr_token_key keys[KEYRING_MAX];
    char names[KEYRING_MAX][WR_TOKEN_NAME_MAX + 1];
};

/* Read the keys of a file.
 * Errors: NOTFOUND, DENIED (it cannot be read, or others can), INVALID (what is in it),
 * NOMEM, IO; why says which, with the path, and what to do. */
wr_err keyring_load(struct keyring **ret, const char *path, wr_time deadline, char *why);
void keyring_free(struct keyring *ring);

/* Make a file with one new key; its name is made from the key when kid is NULL.
 * Errors: EXISTS (there is a file already, which stays), INVALID (the name), and those
 * of wr_file_write_atomic. */
wr_err keyring_make(const char *path, const char *kid, wr_time deadline, char *why);

#endif
