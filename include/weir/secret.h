/* secret.h - keys, tokens and passwords.
 *
 * A secret is a handle, counted by its users, over bytes that exist once.  The
 * handle is what travels: through channels, into configurations, to other
 * fibers.  There is no call that copies the bytes out, no field of a log line
 * that takes them, and when the last user lets go they are overwritten before
 * the memory is given back.
 *
 *     struct wr_secret *token;
 *     wr_err err = wr_secret_new(&token, line, len);      // wipes `line`
 *     ...
 *     if (!wr_secret_equal(token, given, given_len))
 *         return WR_DENIED;
 *     ...
 *     wr_secret_unref(token);
 *
 * Any thread may use a secret it holds a reference of.
 */
#ifndef WEIR_SECRET_H
#define WEIR_SECRET_H

#include <stdbool.h>
#include <stddef.h>

#include <weir/err.h>

struct wr_secret;

/* Move `size` bytes into a new secret, with one reference.  The bytes at
 * `bytes` are overwritten with zeros in every case, also when it fails.
 * Errors: NOMEM. */
wr_err wr_secret_new(struct wr_secret **ret, void *bytes, size_t size);

/* One more user; the same handle. */
struct wr_secret *wr_secret_ref(struct wr_secret *secret);

/* One user less; the last one overwrites the bytes and frees them.  NULL is
 * allowed. */
void wr_secret_unref(struct wr_secret *secret);

/* How many bytes it has. */
size_t wr_secret_size(const struct wr_secret *secret);

/* The bytes, to hand to the call that needs them (a cipher, a MAC).  The
 * pointer leads into the secret itself: do not copy what is there, and do not
 * look at it after the reference is gone. */
const void *wr_secret_bytes(const struct wr_secret *secret);

/* Whether these are the secret's bytes.  The time it takes depends on the two
 * sizes and on nothing else, so a stranger learns nothing from it. */
bool wr_secret_equal(const struct wr_secret *secret, const void *bytes, size_t size);

#endif
