/* hash.h - BLAKE3, and the content ids made of it.
 *
 *     struct wr_hash hash = wr_hash_of(bytes, size);
 *     char cid[WR_CID_TEXT];
 *     wr_hash_print_cid(&hash, cid);              // b3:<64 hex digits>
 *
 * A hash is a value of 32 bytes.  What does not lie in one piece is added piece by
 * piece, and how it was cut makes no difference:
 *
 *     struct wr_hash_state state;
 *     wr_hash_begin(&state);
 *     wr_hash_add(&state, head, head_len);
 *     wr_hash_add(&state, body, body_len);
 *     hash = wr_hash_end(&state);
 *
 * With a key it is a MAC: only who has the key can make it.  Nothing allocates and
 * nothing fails.  A state belongs to one fiber at a time.
 */
#ifndef WR_BASE_HASH_H
#define WR_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>

#include <weir/err.h>

#define WR_HASH_SIZE 32
#define WR_HASH_TEXT 65         /* hex digits and a zero byte */
#define WR_CID_TEXT 68          /* the same behind "b3:" */

struct wr_hash { unsigned char bytes[WR_HASH_SIZE]; };

struct wr_hash_state { _Alignas(8) unsigned char opaque[1912]; };

/* Of one piece; with a key of WR_HASH_SIZE bytes, a MAC. */
struct wr_hash wr_hash_of(const void *bytes, size_t size);
struct wr_hash wr_hash_keyed(const void *key, const void *bytes, size_t size);

/* Of many.  After the end more may be added: the end is of what was there.  The
 * state of a keyed one holds the key: wipe it with wr_hash_wipe. */
void wr_hash_begin(struct wr_hash_state *state);
void wr_hash_begin_keyed(struct wr_hash_state *state, const void *key);
void wr_hash_add(struct wr_hash_state *state, const void *bytes, size_t size);
struct wr_hash wr_hash_end(const struct wr_hash_state *state);
void wr_hash_wipe(struct wr_hash_state *state);

/* Whether they are the same, in a time that does not depend on where they differ. */
bool wr_hash_equal(const struct wr_hash *a, const struct wr_hash *b);

/* Hex digits, in lower case; buf has WR_HASH_TEXT bytes.  Returns buf. */
const char *wr_hash_print(const struct wr_hash *hash, char *buf);

/* The content id; buf has WR_CID_TEXT bytes.  Returns buf. */
const char *wr_hash_print_cid(const struct wr_hash *hash, char *buf);

/* Read 64 hex digits in lower case, or a content id: one text for one hash, so upper
 * case is refused.  Errors: INVALID. */
wr_err wr_hash_parse(struct wr_hash *ret, const char *text, size_t len);
wr_err wr_hash_parse_cid(struct wr_hash *ret, const char *text, size_t len);

#endif
