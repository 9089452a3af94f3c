/* dht_record.h - what a node says of itself in the DHT, signed: "I have this", "this name is
 * that".
 *
 *     struct dht_record record = { .kind = DHT_PROVIDER, .cid = cid, .region = "eu",
 *                                  .addr = "tcp://10.0.0.7:9101",
 *                                  .issued_at = now, .expires_at = later };
 *     len = dht_record_write(buf, &record, signer);
 *     ...
 *     struct dht_wanted wanted = { DHT_PROVIDER, &cid, NULL };
 *     err = dht_record_read(&record, bytes, len, &wanted, now, &fault);
 *
 * A CBOR array and, behind it as CBOR bytes, the signature of all before it:
 *
 *     ["weir/provider", 1, cid (32 bytes), id (32), addr, region, issued, expires], sig
 *     ["weir/name",     1, manifest (32),  id (32), name, "",     issued, expires], sig
 *
 * with times in milliseconds since 1970.  One way to write each: what is not in the shortest
 * form, or has bytes behind it, is not one.  A key of the DHT is only 20 bytes and anybody may
 * put anything under it: so the whole id is inside, and a record is believed when it is for
 * what was asked, not over, not of the future (skew of 5 minutes), not valid for longer than a
 * day, and signed by the id in it.  What is wrong with one that is dropped is counted by its
 * fault.
 *
 * The signature is looked at last, so that all else costs a liar more than us: a microsecond.
 * To read one that is fine takes some 120 us, to write one 45 us, and neither waits: who has
 * more than a few to read yields in between.  Any fiber may read and write.
 */
#ifndef WR_DHT_DHT_RECORD_H
#define WR_DHT_DHT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>
#include <weir/time.h>

#include "base/hash.h"
#include "net/signer.h"

#define DHT_KEY 20
#define DHT_RECORD_MAX 1024
#define DHT_ADDR_MAX 255                /* "tcp://host:port" */
#define DHT_REGION_MAX 32
#define DHT_NAME_MAX 253
#define DHT_SKEW WR_S(300)              /* of another's clock */
#define DHT_VALID_MAX WR_S(86400)

enum dht_kind { DHT_PROVIDER, DHT_NAME };

struct dht_record {
    enum dht_kind kind;
    struct wr_hash cid;                 /* what is had; or what the name stands for */
    unsigned char id[SIGNER_ID];        /* who says so */
    char addr[DHT_ADDR_MAX + 1];        /* of a provider */
    char region[DHT_REGION_MAX + 1];    /* ... may be empty */
    char name[DHT_NAME_MAX + 1];        /* of a name */
    struct wr_wall issued_at, expires_at;   /* whole milliseconds */
};

/* What is wrong with one, in the order in which it is looked for: more than DHT_RECORD_MAX
 * bytes; not as above, or an address or region that is none; for something else than was asked;
 * over, not yet, or for too long; not signed by the id in it. */
enum dht_fault {
    DHT_FINE, DHT_OVERSIZED, DHT_MALFORMED, DHT_FOREIGN, DHT_EXPIRED, DHT_FORGED, DHT_FAULTS,
};
extern const char *const dht_faults[DHT_FAULTS];    /* "fine", "oversized", ...: for metrics */

/* What was asked for: a cid, or a name. */
struct dht_wanted { enum dht_kind kind; const struct wr_hash *cid; const char *name; };

/* The key under which it lies: the first bytes of the cid, or of the hash of the name. */
void dht_key_of(unsigned char ret[DHT_KEY], const struct dht_wanted *wanted);

/* Write and sign it; how many bytes of buf, which has DHT_RECORD_MAX, it takes.  The id is the
 * signer's, and times are cut to whole milliseconds.  One that nobody would believe, whenever
 * it is read (an address that is none, a name of no or too many bytes, over before it begins,
 * valid for too long), is a panic. */
size_t dht_record_write(unsigned char *buf, const struct dht_record *record,
                        const struct signer *signer);

/* Errors: INVALID, with the fault; *ret is set with WR_OK only.  *ret_fault is always set. */
wr_err dht_record_read(struct dht_record *ret, const void *bytes, size_t len,
                       const struct dht_wanted *wanted, struct wr_wall now,
                       enum dht_fault *ret_fault);

/* The same in two steps, for who has many to read: all but the signature, then that of one in
 * which nothing else is wrong.  Errors: INVALID. */
wr_err dht_record_weigh(struct dht_record *ret, const void *bytes, size_t len,
                        const struct dht_wanted *wanted, struct wr_wall now,
                        enum dht_fault *ret_fault);
wr_err dht_record_check(const struct dht_record *record, const void *bytes, size_t len);

/* ---- what its texts may be ---- */

/* An address: "tcp://", a name (letters, digits, '.', '-', '_') or an IPv4 address or an IPv6
 * one in brackets, and a port from 1 on.  The host, without brackets, and the port are given
 * back where asked for; host has DHT_ADDR_MAX + 1 bytes.  Errors: INVALID. */
wr_err dht_addr_read(char *ret_host, uint16_t *ret_port, const char *addr);

/* A region: at most DHT_REGION_MAX of a-z, 0-9, '-', '_' and '.'; or none. */
bool dht_region_fine(const char *region);

#endif
