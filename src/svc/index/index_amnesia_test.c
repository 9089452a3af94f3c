/* index_amnesia_test.c - with amnesia on, nothing is left of what the index was asked and told.
 *
 * Alone in its program: SQLite takes its memory as it was told before its first use.
 */
#include <weir/file.h>
#include <weir/run.h>

#include "base/forget.h"
#include "base/hash.h"
#include "dht/dht_record.h"
#include "mcp/message.h"
#include "rt/sanitize.h"
#include "testing/heap_rig.h"
#include "testing/index_node_rig.h"
#include "testing/metric_rig.h"
#include "testing/proxy_rig.h"

#define PURGED_WITHIN WR_S(31)
/* Somebody: of nobody's names nobody is asked. */
#define TRUSTED "--index-trusted=" DIGITS16("a") DIGITS16("a") DIGITS16("a") DIGITS16("a")

static struct cloud cloud;

/* With a mark in the place of the %s, and nothing of it left here. */
static void send_one(struct rig *rig, int status, const char *method, const char *target,
                 const char *body)
{
    char mark[MARK_LEN + 1], path[200], text[400], headers[80] = "";
    make_mark(mark, 'N');
    snprintf(path, sizeof(path), target, mark);
    snprintf(text, sizeof(text), body, mark);
    if (strncmp(target, "/admin", 6) == 0)
        snprintf(headers, sizeof(headers), "Idempotency-Key: %s%s%zu\r\n", mark, method,
                 strlen(text));
    if (!CHECK_EQ(status, index_node_send(rig, method, path, headers, text)))
        printf("# %s %s: %s\n", method, target, answer.body);
    explicit_bzero(mark, sizeof(mark));
    explicit_bzero(path, sizeof(path));
    explicit_bzero(text, sizeof(text));
    explicit_bzero(headers, sizeof(headers));
    explicit_bzero(&answer, sizeof(answer));
}

/* Where the object lies that is the mark. */
static void name_object(char ret[WR_CID_TEXT])
{
    char mark[MARK_LEN + 1];
    make_mark(mark, 'N');
    struct wr_hash hash = wr_hash_of(mark, MARK_LEN);
    wr_hash_print_cid(&hash, ret);
    explicit_bzero(mark, sizeof(mark));
}

/* The name ends so that it is another than those of our own store. */
static void offer_name(const struct signer *signer)
{
    char mark[MARK_LEN + 1];
    unsigned char bytes[DHT_RECORD_MAX], at[DHT_KEY];
    struct wr_wall now = { wr_wall().ns / WR_MS(1) * WR_MS(1) };
    struct dht_record record = { .kind = DHT_NAME, .issued_at = now,
                                 .expires_at = { now.ns + WR_S(600) } };
    make_mark(mark, 'N');
    snprintf(record.name, sizeof(record.name), "%s.there", mark);
    size_t len = dht_record_write(bytes, &record, signer);
    dht_key_of(at, &(struct dht_wanted){ DHT_NAME, NULL, record.name });
    cloud_put(&cloud, at, bytes, len);
    explicit_bzero(mark, sizeof(mark));
    explicit_bzero(bytes, sizeof(bytes));
    explicit_bzero(&record, sizeof(record));
}

static void tell_names(struct rig *rig)
{
    static const char manifest[] = "{\"manifest_cid\":\"" CID_OF("c") "\"}";
    send_one(rig, 202, "PUT", "/admin/seed", "{\"name\":\"%s\",\"cid\":\"" CID_OF("c") "\"}");
    send_one(rig, 202, "PUT", "/v1/index/sites/%s/manifest", manifest);
    send_one(rig, 202, "PUT", "/v1/index/offers/name:%s", "{}");
    send_one(rig, 200, "GET", "/v1/index/offers", "");
    send_one(rig, 200, "GET", "/resolve/name:%s", "");
    send_one(rig, 200, "GET", "/resolve/name:%s", "");
    send_one(rig, 200, "GET", "/resolve/name:%s?fresh=true", "");
    send_one(rig, 200, "GET", "/resolve/name:%s.there", "");      /* of the DHT */
    send_one(rig, 404, "GET", "/resolve/name:%s.not", "");
    send_one(rig, 400, "GET", "/resolve/%s", "");
    send_one(rig, 200, "GET", "/search/%s", "");
    send_one(rig, 202, "POST", "/admin/reindex", "{\"keys\":[\"name:%s\"]}");
    send_one(rig, 400, "POST", "/admin/pin", "{\"cid\":\"%s\"}");
    send_one(rig, 200, "GET", "/v1/index/sites/%s/manifest", "");
}

static void tell_objects(struct rig *rig)
{
    char cid[WR_CID_TEXT], path[200], body[200];
    name_object(cid);
    snprintf(path, sizeof(path), "/v1/index/objects/%s", cid);
    send_one(rig, 200, "PUT", path, "%s");
    send_one(rig, 409, "PUT", path, "another %s");
    send_one(rig, 200, "GET", path, "");
    snprintf(path, sizeof(path), "/providers/%s", cid);
    send_one(rig, 200, "GET", path, "");
    snprintf(body, sizeof(body), "{\"cid\":\"%s\"}", cid);
    send_one(rig, 200, "POST", "/admin/pin", body);
    snprintf(path, sizeof(path), "/v1/index/assets/%s/manifest", cid);
    send_one(rig, 202, "PUT", path, "{\"asset_kind\":\"image\",\"manifest_cid\":\"" CID_OF("d")
         "\",\"owner_passport_subject\":\"%s\"}");
    send_one(rig, 200, "GET", path, "");
    snprintf(path, sizeof(path), "/v1/index/offers/%s", cid);
    send_one(rig, 200, "DELETE", path, "");
}

static wr_err live(void *unused)
{
    struct rig rig;
    struct signer *signer;
    static char proxy[100], trusted[100] = "--index-trusted=", why[SIGNER_WHY];
    (void)unused;
    cloud_open(&cloud, 1);
    REQUIRE_OK(signer_open(&signer, NULL, WR_NEVER, why), WR_IO);
    signer_id_print(signer_id(signer), trusted + strlen(trusted));
    offer_name(signer);
    snprintf(proxy, sizeof(proxy), "--index-proxies=%s", cloud.urls[0]);
    index_node_begin(&rig, (const char *const[]){
        proxy, trusted, "--index-facets-search=true", "--oap-addr=127.0.0.1:0",
        "--index-addr=tcp://127.0.0.1:9", NULL });
    settle();
    struct wr_file_writes before = wr_file_writes();
    tell_names(&rig);
    tell_objects(&rig);
    CHECK(cloud.proxies[0].puts > 0);       /* it was announced, too */
    CHECK(count_in_heap('N') > 0);          /* the scan sees it while it is kept */
    CHECK_EQ(before.done, wr_file_writes().done);
    index_node_end(&rig);
    signer_close(signer);
    cloud_close(&cloud);
    return WR_OK;
}

/* That there is none would be remembered for an hour; the purge comes before. */
static wr_err ask_in_vain(void *unused)
{
    struct rig rig;
    static char proxy[100];
    (void)unused;
    cloud_open(&cloud, 1);
    snprintf(proxy, sizeof(proxy), "--index-proxies=%s", cloud.urls[0]);
    index_node_begin(&rig, (const char *const[]){
        proxy, "--index-cache-neg-ttl=1h", TRUSTED, NULL });
    settle();
    send_one(&rig, 404, "GET", "/resolve/name:%s", "");
    unsigned asked = cloud.proxies[0].gets;
    send_one(&rig, 404, "GET", "/resolve/name:%s", "");
    CHECK_EQ(asked, cloud.proxies[0].gets);
    CHECK(count_in_heap('N') > 0);
    CHECK_OK(wr_sleep(wr_after(PURGED_WITHIN)));
    CHECK_EQ(1, metric_value("amnesia_purge_total{kind=\"cache\",svc=\"index\"}"));
    send_one(&rig, 404, "GET", "/resolve/name:%s", "");
    CHECK(cloud.proxies[0].gets > asked);
    index_node_end(&rig);
    cloud_close(&cloud);
    return WR_OK;
}

static void check_forgets(wr_err (*run)(void *unused))
{
#if defined(ASAN) || defined(TSAN)
    SKIP("a sanitizer keeps freed memory, and terabytes of its own");
#endif
    if (test_rounds(1000) != 1000)
        SKIP("valgrind keeps freed memory");
    wr_forget_from_now();
    mcp_message_forgets();                  /* whose JSON is everybody's */
    CHECK_OK(wr_run(&(struct wr_run_conf){ .virtual_clock = true }, run, NULL));
    explicit_bzero(&answer, sizeof(answer));
    CHECK_EQ(0, count_in_heap('N'));
}

TEST_PLAIN(of_names_and_objects_nothing_is_left_in_memory_or_on_the_disk)
{
    check_forgets(live);
}

TEST_PLAIN(after_a_purge_what_was_not_there_is_looked_for_again)
{
    check_forgets(ask_in_vain);
}
