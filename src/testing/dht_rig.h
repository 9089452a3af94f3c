/* dht_rig.h - records by signers of a test, a cloud that has them (proxy_rig.h), and a dht that
 * asks it, with its janitor.
 *
 *     struct dht_rig rig = { .conf = { .alpha = 3 } };
 *     dht_rig_open(&rig, 5);
 *     dht_rig_offer(&rig, 0, 100);                 signer 0 says that it has rig.cid, at 100 s
 *     CHECK_OK(dht_find(rig.dht, &rig.wanted, &found, wr_after(WR_MS(1200))));
 *     dht_rig_close(&rig);
 */
#ifndef WR_TESTING_DHT_RIG_H
#define WR_TESTING_DHT_RIG_H

#include "dht/dht.h"
#include "testing/proxy_rig.h"

#define DHT_RIG_SIGNERS 4

/* Whether it took the hedge, which is up to 5 % sooner than 150 ms by lot, and so much more. */
#define DHT_RIG_HEDGED(took, more) \
    ((took) - (more) >= WR_MS(150) * 95 / 100 && (took) - (more) <= WR_MS(150))

struct dht_rig {
    struct dht_conf conf;               /* what the test wants of it */
    struct cloud cloud;
    struct dht *dht;
    struct wr_scope *scope;             /* of the janitor */
    struct signer *signers[DHT_RIG_SIGNERS];
    struct wr_hash cid;
    struct dht_wanted wanted;
};

/* A record, for the signer with this number, issued `age` before now and valid for 10 minutes.
 * */
RIG_PROXY struct dht_record dht_rig_record(const struct dht_rig *rig, wr_time age)
{
    struct dht_record record = { .kind = DHT_PROVIDER, .cid = rig->cid, .region = "eu" };
    snprintf(record.addr, sizeof(record.addr), "tcp://10.0.0.7:9101");
    int64_t now = wr_wall().ns / 1000000 * 1000000;
    record.issued_at.ns = now - age;
    record.expires_at.ns = record.issued_at.ns + WR_S(600);
    return record;
}

/* Written and signed; its length. */
RIG_PROXY size_t dht_rig_write(const struct dht_rig *rig, unsigned char *buf,
                               const struct dht_record *record, size_t signer)
{
    return dht_record_write(buf, record, rig->signers[signer]);
}

/* A signer says that it has rig->cid, so long ago. */
RIG_PROXY void dht_rig_offer(struct dht_rig *rig, size_t signer, wr_time age)
{
    unsigned char bytes[DHT_RECORD_MAX], key[DHT_KEY];
    struct dht_record record = dht_rig_record(rig, age);
    size_t len = dht_rig_write(rig, bytes, &record, signer);
    dht_key_of(key, &rig->wanted);
    cloud_put(&rig->cloud, key, bytes, len);
}

/* Any bytes under the key of rig->cid. */
RIG_PROXY void dht_rig_litter(struct dht_rig *rig, const void *bytes, size_t len)
{
    unsigned char key[DHT_KEY];
    dht_key_of(key, &rig->wanted);
    cloud_put(&rig->cloud, key, bytes, len);
}

RIG_PROXY void dht_rig_open(struct dht_rig *rig, size_t proxies)
{
    char why[SIGNER_WHY];
    for (size_t i = 0; i < DHT_RIG_SIGNERS; i++)
        REQUIRE_OK(signer_open(&rig->signers[i], NULL, wr_after(WR_S(1)), why));
    rig->cid = wr_hash_of("what is wanted", 14);
    rig->wanted = (struct dht_wanted){ DHT_PROVIDER, &rig->cid, NULL };
    cloud_open(&rig->cloud, proxies);
    rig->conf.proxies = rig->cloud.urls;
    rig->conf.count = proxies;
    REQUIRE_OK(dht_open(&rig->dht, &rig->conf));
    REQUIRE_OK(wr_scope_new(&rig->scope, &(struct wr_scope_conf){
        .name = "test.dht", .deadline = WR_NEVER }));
    CHECK_OK(wr_scope_go(rig->scope, "test.dht", dht_run, rig->dht));
}

RIG_PROXY void dht_rig_close(struct dht_rig *rig)
{
    wr_scope_cancel(rig->scope);
    CHECK_OK(wr_scope_close(rig->scope));
    dht_close(rig->dht, wr_after(WR_S(1)));
    cloud_close(&rig->cloud);
    for (size_t i = 0; i < DHT_RIG_SIGNERS; i++)
        signer_close(rig->signers[i]);
}

#endif
