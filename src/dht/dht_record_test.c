#include "dht/dht_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <weir/file.h>

#include "base/cbor.h"
#include "testing/test.h"

/* Made apart from this code: CBOR and Ed25519 by a few lines of script with whole numbers, the
 * ids by b3sum. */
#define PRIVATE "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"
#define CID "ea8f163db38682925e4491c5e58d4bb3506ef8c14eb78a86e908c5624a67200f"
#define PROVIDER \
    "886d776569722f70726f7669646572015820ea8f163db38682925e4491c5e58d4bb3506ef8c14eb7" \
    "8a86e908c5624a67200f5820d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68" \
    "f707511a737463703a2f2f31302e302e302e373a393130316265751b0000018bcfe5687b1b000001" \
    "8bcfee903b5840ee5a8f6ee1dc9376a0298d98badf4eedf876ed4aebcdcc45afd891f9f623d0993e" \
    "23a30442458aa660b12849dc4b6be0a83e5514d47b883830e9adc54412a004"
#define NAME \
    "8869776569722f6e616d65015820ea8f163db38682925e4491c5e58d4bb3506ef8c14eb78a86e908" \
    "c5624a67200f5820d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a" \
    "6c776569722e6578616d706c65601b0000018bcfe5687b1b0000018bcfee903b5840c96408a865da" \
    "bcf521ada9feb0fe0b274291ec1332d165a57324c9281cc4c2cb8083cb78b5e7d9790a3fad8f625d" \
    "57623a83e1d6283753c9c3b12841841b9507"
#define NAME_KEY "af76f984ddde9996bb0318a998232f4c40226b9a"

#define ISSUED ((struct wr_wall){ WR_MS(1700000000123) })
#define EXPIRES ((struct wr_wall){ WR_MS(1700000600123) })
#define NOW ((struct wr_wall){ WR_MS(1700000300000) })
#define SOON wr_after(WR_S(5))

static struct wr_hash cid;
static const struct dht_wanted provider = { DHT_PROVIDER, &cid, NULL },
                               name = { DHT_NAME, NULL, "weir.example" };
static unsigned char buf[DHT_RECORD_MAX + 1];
static struct dht_record got;
static enum dht_fault fault;

/* The key of the golden records. */
static struct signer *known(void)
{
    char path[] = "/tmp/weir-record-XXXXXX", why[SIGNER_WHY];
    struct signer *signer = NULL;
    CHECK_OK(wr_hash_parse(&cid, CID, strlen(CID)));
    int fd = mkstemp(path);
    CHECK(fd >= 0 && close(fd) == 0);
    CHECK_OK(wr_file_write_atomic(path, PRIVATE, 64, 0600, SOON));
    CHECK_OK(signer_open(&signer, path, SOON, why));
    CHECK_EQ(0, unlink(path));
    return signer;
}

static struct dht_record saying(enum dht_kind kind)
{
    return (struct dht_record){
        .kind = kind, .cid = cid, .addr = "tcp://10.0.0.7:9101", .region = "eu",
        .name = "weir.example", .issued_at = ISSUED, .expires_at = EXPIRES,
    };
}

static const char *hex(const unsigned char *bytes, size_t len)
{
    static char text[2 * DHT_RECORD_MAX + 1];
    for (size_t i = 0; i < len; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    return text;
}

static wr_err read_at(size_t len, const struct dht_wanted *wanted, struct wr_wall now)
{
    memset(&got, 0xaa, sizeof(got));
    wr_err err = dht_record_read(&got, buf, len, wanted, now, &fault);
    CHECK((err == WR_OK) == (fault == DHT_FINE));
    return err;
}

static const char *judged(size_t len, const struct dht_wanted *wanted)
{
    (void)!read_at(len, wanted, NOW);
    return dht_faults[fault];
}

/* ---- one form ---- */

TEST(a_record_is_the_bytes_that_the_format_says)
{
    struct signer *signer = known();
    struct dht_record record = saying(DHT_PROVIDER);
    REQUIRE(signer);
    CHECK_STR(PROVIDER, hex(buf, dht_record_write(buf, &record, signer)));
    record = saying(DHT_NAME);
    CHECK_STR(NAME, hex(buf, dht_record_write(buf, &record, signer)));
    signer_close(signer);
}

TEST(what_is_written_is_read_again_whole)
{
    struct signer *signer = known();
    struct dht_record record = saying(DHT_PROVIDER);
    REQUIRE(signer);
    CHECK_OK(read_at(dht_record_write(buf, &record, signer), &provider, NOW));
    CHECK_EQ(DHT_PROVIDER, got.kind);
    CHECK(wr_hash_equal(&cid, &got.cid));
    CHECK(memcmp(signer_id(signer), got.id, SIGNER_ID) == 0);
    CHECK_STR("tcp://10.0.0.7:9101", got.addr);
    CHECK_STR("eu", got.region);
    CHECK_STR("", got.name);
    CHECK_EQ(ISSUED.ns, got.issued_at.ns);
    CHECK_EQ(EXPIRES.ns, got.expires_at.ns);
    record = saying(DHT_NAME);
    CHECK_OK(read_at(dht_record_write(buf, &record, signer), &name, NOW));
    CHECK_EQ(DHT_NAME, got.kind);
    CHECK(wr_hash_equal(&cid, &got.cid));
    CHECK_STR("weir.example", got.name);
    CHECK_STR("", got.addr);
    signer_close(signer);
}

TEST(texts_are_as_long_as_they_may_be_and_times_are_cut_to_milliseconds)
{
    struct signer *signer = known();
    struct dht_record record = saying(DHT_PROVIDER);
    REQUIRE(signer);
    memset(record.addr + 6, 'h', DHT_ADDR_MAX - 6);
    memcpy(record.addr + DHT_ADDR_MAX - 6, ":65535", 6);
    memset(record.region, 'r', DHT_REGION_MAX);
    record.issued_at.ns += 999999;
    record.expires_at.ns += 1;
    size_t len = dht_record_write(buf, &record, signer);
    CHECK(len < DHT_RECORD_MAX);
    CHECK_OK(read_at(len, &provider, NOW));
    CHECK_STR(record.addr, got.addr);
    CHECK_STR(record.region, got.region);
    CHECK_EQ(ISSUED.ns, got.issued_at.ns);
    CHECK_EQ(EXPIRES.ns, got.expires_at.ns);
    record = saying(DHT_NAME);
    memset(record.name, 'n', DHT_NAME_MAX);
    CHECK_OK(read_at(dht_record_write(buf, &record, signer),
                     &(struct dht_wanted){ DHT_NAME, NULL, record.name }, NOW));
    signer_close(signer);
}

/* ---- keys ---- */

TEST_PLAIN(a_key_is_the_beginning_of_the_id_or_of_the_hash_of_the_name)
{
    unsigned char key[DHT_KEY];
    CHECK_OK(wr_hash_parse(&cid, CID, strlen(CID)));
    dht_key_of(key, &provider);
    CHECK(memcmp(key, cid.bytes, DHT_KEY) == 0);
    dht_key_of(key, &name);
    CHECK_STR(NAME_KEY, hex(key, DHT_KEY));
}

/* ---- faults ---- */

TEST(a_record_for_something_else_is_foreign)
{
    struct signer *signer = known();
    struct dht_record record = saying(DHT_PROVIDER);
    struct wr_hash other = cid;
    REQUIRE(signer);
    size_t len = dht_record_write(buf, &record, signer);
    other.bytes[31] ^= 1;               /* the same key in the DHT */
    CHECK_STR("foreign", judged(len, &(struct dht_wanted){ DHT_PROVIDER, &other, NULL }));
    CHECK_STR("foreign", judged(len, &name));
    CHECK_STR("fine", judged(len, &provider));
    record = saying(DHT_NAME);
    len = dht_record_write(buf, &record, signer);
    CHECK_STR("foreign", judged(len, &provider));
    CHECK_STR("foreign", judged(len, &(struct dht_wanted){ DHT_NAME, NULL, "weir.exampl" }));
    signer_close(signer);
}

TEST(a_record_is_believed_from_five_minutes_before_it_begins_until_it_is_over)
{
    struct signer *signer = known();
    struct dht_record record = saying(DHT_PROVIDER);
    REQUIRE(signer);
    size_t len = dht_record_write(buf, &record, signer);
    CHECK_OK(read_at(len, &provider, (struct wr_wall){ ISSUED.ns - WR_S(300) }));
    CHECK_ERR(WR_INVALID,
              read_at(len, &provider, (struct wr_wall){ ISSUED.ns - WR_S(300) - 1 }));
    CHECK_STR("expired", dht_faults[fault]);
    CHECK_OK(read_at(len, &provider, (struct wr_wall){ EXPIRES.ns - 1 }));
    CHECK_ERR(WR_INVALID, read_at(len, &provider, EXPIRES));
    CHECK_STR("expired", dht_faults[fault]);
    CHECK_ERR(WR_INVALID, read_at(len, &provider, (struct wr_wall){ INT64_MAX }));
    CHECK_ERR(WR_INVALID, read_at(len, &provider, (struct wr_wall){ 0 }));
    signer_close(signer);
}

TEST(any_bit_that_differs_makes_it_none)
{
    struct signer *signer = known();
    struct dht_record record = saying(DHT_PROVIDER);
    REQUIRE(signer);
    size_t len = dht_record_write(buf, &record, signer), faults[DHT_FAULTS] = { 0 };
    for (size_t bit = 0; bit < 8 * len; bit += 3) {
        buf[bit / 8] ^= (unsigned char)(1 << bit % 8);
        CHECK_ERR(WR_INVALID, read_at(len, &provider, NOW));
        faults[fault]++;
        buf[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    CHECK(faults[DHT_FORGED] > 100 && faults[DHT_FOREIGN] > 50 && faults[DHT_MALFORMED] > 10);
    CHECK_STR("fine", judged(len, &provider));
    signer_close(signer);
}

TEST(what_is_cut_or_has_more_behind_it_is_none)
{
    struct signer *signer = known();
    struct dht_record record = saying(DHT_PROVIDER);
    REQUIRE(signer);
    size_t len = dht_record_write(buf, &record, signer);
    for (size_t cut = 0; cut < len; cut++)
        CHECK_STR("malformed", judged(cut, &provider));
    buf[len] = 0;
    CHECK_STR("malformed", judged(len + 1, &provider));
    signer_close(signer);
}

TEST(what_is_larger_than_any_record_is_not_looked_at)
{
    struct signer *signer = known();
    REQUIRE(signer);
    memset(buf, 0, sizeof(buf));
    CHECK_STR("malformed", judged(DHT_RECORD_MAX, &provider));
    CHECK_STR("oversized", judged(DHT_RECORD_MAX + 1, &provider));
    signer_close(signer);
}

TEST(a_record_in_the_name_of_another_is_forged)
{
    struct signer *liar = NULL, *signer = known();
    char why[SIGNER_WHY];
    struct dht_record record = saying(DHT_PROVIDER);
    REQUIRE(signer);
    REQUIRE_OK(signer_open(&liar, NULL, SOON, why));
    size_t len = dht_record_write(buf, &record, liar);
    CHECK_STR("fine", judged(len, &provider));
    unsigned char *id = memmem(buf, len, signer_id(liar), SIGNER_ID);
    REQUIRE(id);
    memcpy(id, signer_id(signer), SIGNER_ID);
    CHECK_STR("forged", judged(len, &provider));
    signer_sign(liar, buf, len - SIGNATURE - 2, buf + len - SIGNATURE);
    CHECK_STR("forged", judged(len, &provider));
    signer_sign(signer, buf, len - SIGNATURE - 2, buf + len - SIGNATURE);
    CHECK_STR("fine", judged(len, &provider));
    signer_close(liar);
    signer_close(signer);
}

/* ---- well signed, and nonsense ---- */

struct said {
    size_t items;
    const char *title;
    uint64_t version;
    size_t cid_len, id_len;
    const char *addr;
    size_t addr_len;
    const char *region;
    uint64_t issued, expires;
};

static const struct said usual = {
    .items = 8, .title = "weir/provider", .version = 1, .cid_len = 32, .id_len = 32,
    .addr = "tcp://10.0.0.7:9101", .region = "eu", .issued = 1700000000123,
    .expires = 1700000600123,
};

static const char *saying_so(const struct signer *signer, struct said said)
{
    struct wr_cbor_out out = { .at = buf, .cap = DHT_RECORD_MAX };
    unsigned char signature[SIGNATURE];
    wr_cbor_put_array(&out, said.items);
    wr_cbor_put_key(&out, said.title);
    wr_cbor_put_uint(&out, said.version);
    wr_cbor_put_bytes(&out, cid.bytes, said.cid_len);
    wr_cbor_put_bytes(&out, signer_id(signer), said.id_len);
    wr_cbor_put_text(&out, said.addr, said.addr_len ? said.addr_len : strlen(said.addr));
    wr_cbor_put_key(&out, said.region);
    wr_cbor_put_uint(&out, said.issued);
    wr_cbor_put_uint(&out, said.expires);
    signer_sign(signer, buf, out.len, signature);
    wr_cbor_put_bytes(&out, signature, SIGNATURE);
    CHECK(!out.cut);
    bool is_name = strcmp(said.title, "weir/name") == 0;
    return judged(out.len, is_name ? &name : &provider);
}

/* What is said of one that is fine but for these assignments. */
#define SAYING(...) __extension__({ \
    struct said but = usual; \
    (void)(__VA_ARGS__); \
    saying_so(signer, but); })

TEST(what_is_well_signed_but_not_of_the_form_is_malformed)
{
    struct signer *signer = known();
    char longer[DHT_ADDR_MAX + 2] = "tcp://";
    REQUIRE(signer);
    CHECK_STR("fine", SAYING(but.items = 8));
    CHECK_STR("malformed", SAYING(but.items = 7));
    CHECK_STR("malformed", SAYING(but.items = 9));
    CHECK_STR("malformed", SAYING(but.title = "weir/provide"));
    CHECK_STR("malformed", SAYING(but.title = "weir/providers"));
    CHECK_STR("malformed", SAYING(but.title = ""));
    CHECK_STR("malformed", SAYING(but.version = 2));
    CHECK_STR("malformed", SAYING(but.version = 0));
    CHECK_STR("malformed", SAYING(but.cid_len = 31));
    CHECK_STR("malformed", SAYING(but.id_len = 31));
    CHECK_STR("malformed", SAYING(but.addr = "10.0.0.7:9101"));
    CHECK_STR("malformed", SAYING(but.addr = "tcp://10.0.0.7:9101\0x", but.addr_len = 21));
    CHECK_STR("malformed", SAYING(but.region = "Eu"));
    CHECK_STR("malformed", SAYING(but.region = "rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr"));
    CHECK_STR("malformed", SAYING(but.expires = (uint64_t)INT64_MAX / 1000000 + 1));
    memset(longer + 6, 'h', DHT_ADDR_MAX - 7);
    snprintf(longer + DHT_ADDR_MAX - 1, 3, ":1");
    CHECK_EQ(DHT_ADDR_MAX + 1, strlen(longer));
    CHECK_STR("malformed", SAYING(but.addr = longer));
    signer_close(signer);
}

TEST(a_name_has_no_region_and_at_least_a_letter)
{
    struct said name_said = usual;
    name_said.title = "weir/name";
    name_said.addr = "weir.example";
    name_said.region = "";
    struct signer *signer = known();
    REQUIRE(signer);
    CHECK_STR("fine", SAYING(but = name_said));
    CHECK_STR("malformed", SAYING(but = name_said, but.region = "eu"));
    CHECK_STR("malformed", SAYING(but = name_said, but.addr = ""));
    CHECK_STR("foreign", SAYING(but = name_said, but.addr = "Weir.example"));
    signer_close(signer);
}

TEST(a_record_is_valid_for_a_day_at_most_and_for_some_time_at_least)
{
    struct signer *signer = known();
    const uint64_t issued = 1700000000123, day = 86400000;
    REQUIRE(signer);
    CHECK_STR("fine", SAYING(but.expires = issued + day));
    CHECK_STR("expired", SAYING(but.expires = issued + day + 1));
    CHECK_STR("expired", SAYING(but.issued = 0));
    CHECK_STR("expired", SAYING(but.issued = issued + 600000, but.expires = issued + 600000));
    CHECK_STR("expired", SAYING(but.issued = issued + 600000, but.expires = issued + 500000));
    signer_close(signer);
}

/* ---- texts ---- */

TEST_PLAIN(an_address_is_a_host_and_a_port_behind_tcp)
{
    static const struct { const char *addr, *host; uint16_t port; } fine[] = {
        { "tcp://10.0.0.7:9101", "10.0.0.7", 9101 },
        { "tcp://[2001:db8::7]:1", "2001:db8::7", 1 },
        { "tcp://a-b_c.Example:65535", "a-b_c.Example", 65535 },
    };
    static const char *const wrong[] = {
        "", "tcp://", "tcp:///", "tcp://:1", "tcp://h", "tcp://h:", "tcp://h:0", "tcp://h:01",
        "tcp://h:65536", "tcp://h:-1", "tcp://h:1 ", "tcp://h:1/", "tcp://h h:1", "tcp://h/:1",
        "tcp://u@h:1", "tcp://2001:db8::7:1", "tcp://[]:1", "tcp://[h]:1", "tcp://[10.0.0.7]:1",
        "tcp://[::1:1", "tcp://::1]:1", "TCP://h:1", "udp://h:1", "h:1", "tcp://h:4294967297",
        "tcp://[:1", "tcp://]:1",
    };
    char host[DHT_ADDR_MAX + 1];
    uint16_t port;
    for (size_t i = 0; i < sizeof(fine) / sizeof(fine[0]); i++) {
        CHECK_OK(dht_addr_read(host, &port, fine[i].addr));
        CHECK_STR(fine[i].host, host);
        CHECK_EQ(fine[i].port, port);
        CHECK_OK(dht_addr_read(NULL, NULL, fine[i].addr));
    }
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        if (!CHECK_ERR(WR_INVALID, dht_addr_read(host, &port, wrong[i])))
            CHECK_STR("", wrong[i]);
}

TEST_PLAIN(a_region_is_a_short_word_or_nothing)
{
    CHECK(dht_region_fine(""));
    CHECK(dht_region_fine("eu-west_1.a"));
    CHECK(dht_region_fine("rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr"));
    CHECK(!dht_region_fine("rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr"));
    CHECK(!dht_region_fine("EU"));
    CHECK(!dht_region_fine("e u"));
    CHECK(!dht_region_fine("e\xc3\xbc"));
}

/* ---- what must not be written ---- */

static void write_wrong(void (*spoil)(struct dht_record *record), enum dht_kind kind)
{
    struct signer *signer = known();
    struct dht_record record = saying(kind);
    spoil(&record);
    (void)dht_record_write(buf, &record, signer);
}

static void spoil_addr(struct dht_record *record)
{
    record->addr[0] = 'T';
}

TEST_PANICS(an_address_that_is_none_is_not_written, "assertion failed: dht_addr_read")
{
    write_wrong(spoil_addr, DHT_PROVIDER);
}

static void spoil_name(struct dht_record *record)
{
    memset(record->name, 'n', sizeof(record->name));
}

TEST_PANICS(a_name_without_an_end_is_not_written, "assertion failed: len > 0")
{
    write_wrong(spoil_name, DHT_NAME);
}

static void spoil_region(struct dht_record *record)
{
    memset(record->region, 'r', sizeof(record->region));
}

TEST_PANICS(a_region_without_an_end_is_not_written, "assertion failed: .*region")
{
    write_wrong(spoil_region, DHT_PROVIDER);
}

static void spoil_time(struct dht_record *record)
{
    record->expires_at.ns = record->issued_at.ns + WR_S(86400) + 1;
}

TEST_PANICS(a_record_for_longer_than_a_day_is_not_written, "assertion failed: spans")
{
    write_wrong(spoil_time, DHT_NAME);
}
