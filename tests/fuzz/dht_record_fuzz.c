/* dht_record_fuzz.c - whatever lies under a key of the DHT: only what was signed is believed,
 * and of what is said there is one way to say it.
 *
 * The bytes are taken as a whole record, and as what stands before the signature, which is then
 * made by our key.  Whatever is believed is ours, for what was asked and in its time, and is
 * the very bytes that we would write; what is not believed has a fault, and nothing is handed
 * out.
 */
#include <stdint.h>
#include <string.h>

#include <weir/panic.h>

#include "base/cbor.h"
#include "base/world.h"
#include "dht/dht_record.h"

#define KEY "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"
#define CID "ea8f163db38682925e4491c5e58d4bb3506ef8c14eb78a86e908c5624a67200f"

static struct wr_hash key, cid;

static void no_chance(void *buf, size_t size)
{
    WR_ASSERT(size == sizeof(key));
    memcpy(buf, &key, size);
}

static struct signer *open_known(void)
{
    struct wr_world world = *wr_world;
    const struct wr_world *before = wr_world;
    struct signer *signer;
    char why[SIGNER_WHY];
    WR_ASSERT(wr_hash_parse(&key, KEY, strlen(KEY)) == WR_OK);
    WR_ASSERT(wr_hash_parse(&cid, CID, strlen(CID)) == WR_OK);
    world.entropy = no_chance;
    wr_world = &world;
    WR_ASSERT(signer_open(&signer, NULL, WR_NEVER, why) == WR_OK);
    wr_world = before;
    return signer;
}

static void check(const struct signer *signer, const uint8_t *bytes, size_t len,
                  const struct dht_wanted *wanted)
{
    static unsigned char back[DHT_RECORD_MAX];
    struct wr_wall now = { WR_MS(1700000300000) };
    struct dht_record record, untouched;
    enum dht_fault fault;
    memset(&record, 0xaa, sizeof(record));
    untouched = record;
    if (dht_record_read(&record, bytes, len, wanted, now, &fault)) {
        WR_ASSERT(fault > DHT_FINE && fault < DHT_FAULTS && dht_faults[fault]);
        WR_ASSERT((fault == DHT_OVERSIZED) == (len > DHT_RECORD_MAX));
        WR_ASSERT(memcmp(&record, &untouched, sizeof(record)) == 0);
        return;
    }
    WR_ASSERT(fault == DHT_FINE && record.kind == wanted->kind);
    WR_ASSERT(memcmp(record.id, signer_id(signer), SIGNER_ID) == 0);
    WR_ASSERT(record.expires_at.ns > now.ns && record.issued_at.ns <= now.ns + DHT_SKEW);
    WR_ASSERT(wanted->kind == DHT_PROVIDER ? wr_hash_equal(&record.cid, wanted->cid)
                                           : strcmp(record.name, wanted->name) == 0);
    WR_ASSERT(dht_record_write(back, &record, signer) == len && memcmp(back, bytes, len) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct signer *signer;
    static unsigned char whole[2 * DHT_RECORD_MAX];
    const struct dht_wanted provider = { DHT_PROVIDER, &cid, NULL };
    const struct dht_wanted name = { DHT_NAME, NULL, "weir.example" };
    unsigned char signature[SIGNATURE];
    if (size > sizeof(whole) - SIGNATURE - 2)
        return -1;
    if (!signer)
        signer = open_known();
    check(signer, data, size, &provider);
    check(signer, data, size, &name);
    struct wr_cbor_out out = { .at = whole, .cap = sizeof(whole) };
    wr_cbor_put_raw(&out, (struct wr_cbor_span){ data, size });
    signer_sign(signer, data, size, signature);
    wr_cbor_put_bytes(&out, signature, SIGNATURE);
    check(signer, whole, out.len, &provider);
    check(signer, whole, out.len, &name);
    return 0;
}
