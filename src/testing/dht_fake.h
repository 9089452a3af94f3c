/* dht_fake.h - a DHT that does as it is told, for tests of who asks it.
 *
 *     struct dht dht = { .takes = WR_MS(3), .count = 2 };     two providers, after 3 ms
 *     dht_line_attach(line, &dht);
 *     ...
 *     CHECK_EQ(1, dht.finds);
 *
 * It is in the place of dht/dht.c: a test that includes it links without that.
 */
#ifndef WR_TESTING_DHT_FAKE_H
#define WR_TESTING_DHT_FAKE_H

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <weir/task.h>

#include "dht/dht.h"
#include "testing/test.h"

/* What it does may be changed while it is asked: the next one who asks has it so. */
struct dht {
    wr_time takes;
    wr_err err;
    size_t count;                       /* providers, of ids 1, 2, ..., or a name's record */
    bool panics;
    struct wr_hash manifest;            /* of every name */
    bool beta;                          /* who won */
    wr_time valid;                      /* of its records; 10 min */
    _Atomic uint64_t finds, puts;
    _Atomic int asking, asking_most;
    atomic_flag putting;                /* held for the next two: */
    unsigned char put[DHT_RECORD_MAX];  /* the last record */
    size_t put_len;
};

static inline wr_err fake_takes(struct dht *dht, wr_time deadline)
{
    int asking = atomic_fetch_add(&dht->asking, 1) + 1;
    if (asking > dht->asking_most)
        dht->asking_most = asking;
    bool late = wr_after(dht->takes) > deadline;
    wr_err err = dht->takes ? wr_sleep(late ? deadline : wr_after(dht->takes)) : WR_OK;
    atomic_fetch_sub(&dht->asking, 1);
    if (dht->panics)
        wr_panic("the DHT was told to");
    return err ? err : late ? WR_TIMEOUT : dht->err;
}

wr_err dht_find(struct dht *dht, const struct dht_wanted *wanted, struct dht_found *ret,
                wr_time deadline)
{
    atomic_fetch_add(&dht->finds, 1);
    *ret = (struct dht_found){ 0 };
    wr_err err = fake_takes(dht, deadline);
    if (err)
        return err;
    if (dht->count == 0)
        return WR_NOTFOUND;
    ret->count = wanted->kind == DHT_NAME ? 1 : dht->count;
    ret->records = calloc(ret->count, sizeof(*ret->records));
    REQUIRE(ret->records, WR_NOMEM);
    ret->alpha_took = dht->beta ? 0 : dht->takes;
    ret->beta_took = dht->beta ? dht->takes : 0;
    ret->winner = dht->beta ? DHT_BETA : DHT_ALPHA;
    for (size_t i = 0; i < ret->count; i++) {
        struct dht_record *record = &ret->records[i];
        *record = (struct dht_record){
            .kind = wanted->kind, .addr = "tcp://10.0.0.7:9101", .region = "eu",
            .cid = wanted->kind == DHT_NAME ? dht->manifest : *wanted->cid,
            .issued_at = wr_wall() };
        record->id[SIGNER_ID - 1] = (unsigned char)(i + 1);
        record->expires_at.ns = record->issued_at.ns + (dht->valid ? dht->valid : WR_S(600));
    }
    return WR_OK;
}

void dht_found_free(struct dht_found *found)
{
    free(found->records);
    *found = (struct dht_found){ 0 };
}

wr_err dht_put(struct dht *dht, const struct dht_wanted *wanted, const void *record, size_t len,
               wr_time deadline)
{
    (void)wanted;
    atomic_fetch_add(&dht->puts, 1);
    wr_err err = fake_takes(dht, deadline);
    if (!err) {
        while (atomic_flag_test_and_set(&dht->putting))
            ;
        memcpy(dht->put, record, len);
        dht->put_len = len;
        atomic_flag_clear(&dht->putting);
    }
    return err;
}

#endif
