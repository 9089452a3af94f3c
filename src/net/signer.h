/* signer.h - the key by which a node is known to others: Ed25519.
 *
 *     struct signer *signer;
 *     char why[SIGNER_WHY];
 *     err = signer_open(&signer, "/var/lib/weir/node.key", deadline, why);
 *     ...signer_id(signer)                     its public half, 32 bytes
 *     signer_sign(signer, bytes, len, signature);
 *     ...
 *     err = signature_check(id, bytes, len, signature);        (QUARANTINE: it is not his)
 *     signer_close(signer);
 *
 * A key that is not there yet is made: 64 hex digits in a file of mode 0600; one that others
 * may read is refused.  Without a path it lives in memory, as under amnesia.  From the moment
 * it is read, the private half is a secret: first a wr_secret, then the TLS library's, which
 * wipes it when it is closed.
 *
 * Signing takes some 45 us and checking some 120 us; neither waits.  Any fiber on any worker
 * may sign with one signer at the same time.
 */
#ifndef WR_NET_SIGNER_H
#define WR_NET_SIGNER_H

#include <stddef.h>

#include <weir/err.h>
#include <weir/time.h>

#define SIGNER_ID 32
#define SIGNER_ID_TEXT 65               /* hex digits and a zero byte */
#define SIGNATURE 64
#define SIGNER_WHY 512

struct signer;

/* Read the key at the path, or make it; NULL: one that is written nowhere.
 * Errors: DENIED (it cannot be read or written, or others can get at it), INVALID (what is in
 * it), NOTFOUND (no folder to make it in), NOMEM, IO; TIMEOUT, CANCELED and BUSY as wr_offload.
 * why, of SIGNER_WHY bytes, says which, with the path, and what to do. */
wr_err signer_open(struct signer **ret, const char *path, wr_time deadline, char *why);
void signer_close(struct signer *signer);           /* NULL is allowed */

/* Who it is, to others: SIGNER_ID bytes, as long as it is open. */
const unsigned char *signer_id(const struct signer *signer);

/* An id as 64 hex digits in lower case, and back; one text for one id.  Errors: INVALID. */
void signer_id_print(const unsigned char id[SIGNER_ID], char text[SIGNER_ID_TEXT]);
wr_err signer_id_read(unsigned char id[SIGNER_ID], const char *text);

/* The same bytes have the same signature.  Without memory it is a panic. */
void signer_sign(const struct signer *signer, const void *bytes, size_t len,
                 unsigned char ret[SIGNATURE]);

/* Whether who has the private half of this id signed these bytes.  An id for which anybody can
 * sign (a point of small order), or which is another way to write one, is nobody's.
 * Errors: QUARANTINE: not his, nobody's, or there was no memory to tell. */
wr_err signature_check(const unsigned char id[SIGNER_ID], const void *bytes, size_t len,
                       const unsigned char signature[SIGNATURE]);

#endif
