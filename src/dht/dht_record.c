/* dht_record.c - signed sentences, in one form: see dht_record.h. */
#include "dht/dht_record.h"

#include <string.h>

#include <weir/addr.h>
#include <weir/panic.h>

#include "base/cbor.h"

#define VERSION 1
#define ITEMS 8
#define MS 1000000
#define SCHEME "tcp://"
#define SEAL (2 + SIGNATURE)            /* a signature as CBOR */

const char *const dht_faults[DHT_FAULTS] = {
    "fine", "oversized", "malformed", "foreign", "expired", "forged",
};

static const char *const titles[] = { "weir/provider", "weir/name" };

/* ---- texts ---- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_host(const char *host, bool bracketed)
{
    struct wr_addr ip;
    if (bracketed)
        return wr_addr_parse_ip(&ip, host, 1) == WR_OK && ip.kind == WR_ADDR_IP6;
    for (const char *at = host; *at; at++)
        if (!is_letter(*at) && !is_digit(*at) && !strchr(".-_", *at))
            return false;
    return *host != '\0';
}

/* Decimal, without a sign and without zeros before it. */
static uint32_t port_of(const char *text)
{
    uint32_t port = 0;
    for (; is_digit(*text) && port <= UINT16_MAX && (port > 0 || *text != '0'); text++)
        port = port * 10 + (uint32_t)(*text - '0');
    return *text == '\0' && port <= UINT16_MAX ? port : 0;
}

wr_err dht_addr_read(char *ret_host, uint16_t *ret_port, const char *addr)
{
    char host[DHT_ADDR_MAX + 1];
    size_t len = strnlen(addr, DHT_ADDR_MAX + 1);
    if (len > DHT_ADDR_MAX || strncmp(addr, SCHEME, strlen(SCHEME)) != 0)
        return WR_INVALID;
    const char *begin = addr + strlen(SCHEME), *colon = strrchr(begin, ':');
    if (!colon || colon == begin)
        return WR_INVALID;
    bool bracketed = *begin == '[' && colon[-1] == ']' && colon - begin > 2;
    size_t host_len = (size_t)(colon - begin) - (bracketed ? 2 : 0);
    memcpy(host, begin + bracketed, host_len);
    host[host_len] = '\0';
    uint32_t port = port_of(colon + 1);
    if (port == 0 || !is_host(host, bracketed))
        return WR_INVALID;
    if (ret_host)
        memcpy(ret_host, host, host_len + 1);
    if (ret_port)
        *ret_port = (uint16_t)port;
    return WR_OK;
}

bool dht_region_fine(const char *region)
{
    for (const char *at = region; *at; at++)
        if (!(*at >= 'a' && *at <= 'z') && !is_digit(*at) && !strchr("-_.", *at))
            return false;
    return strlen(region) <= DHT_REGION_MAX;
}

/* ---- keys ---- */

void dht_key_of(unsigned char ret[DHT_KEY], const struct dht_wanted *wanted)
{
    struct wr_hash hash;
    if (wanted->kind == DHT_PROVIDER)
        hash = *wanted->cid;
    else
        hash = wr_hash_of(wanted->name, strlen(wanted->name));
    memcpy(ret, hash.bytes, DHT_KEY);
}

/* ---- time ---- */

/* Whether it begins before it ends and is valid for no longer than may be. */
static bool spans(const struct dht_record *record)
{
    int64_t from = record->issued_at.ns, to = record->expires_at.ns;
    return from >= 0 && to / MS > from / MS && to - from <= DHT_VALID_MAX;
}

static bool in_time(const struct dht_record *record, struct wr_wall now)
{
    return spans(record) && record->expires_at.ns > now.ns
        && (record->issued_at.ns <= now.ns || record->issued_at.ns - now.ns <= DHT_SKEW);
}

/* ---- writing ---- */

static void put_text(struct wr_cbor_out *out, const char *text)
{
    wr_cbor_put_text(out, text, strlen(text));
}

static void check_written(const struct dht_record *record)
{
    if (record->kind == DHT_PROVIDER) {
        WR_ASSERT(dht_addr_read(NULL, NULL, record->addr) == WR_OK);
        WR_ASSERT(strnlen(record->region, sizeof(record->region)) < sizeof(record->region)
                  && dht_region_fine(record->region));
    } else {
        size_t len = strnlen(record->name, sizeof(record->name));
        WR_ASSERT(len > 0 && len <= DHT_NAME_MAX);
    }
    WR_ASSERT(spans(record));
}

size_t dht_record_write(unsigned char *buf, const struct dht_record *record,
                        const struct signer *signer)
{
    struct wr_cbor_out out = { .at = buf, .cap = DHT_RECORD_MAX };
    unsigned char signature[SIGNATURE];
    bool provides = record->kind == DHT_PROVIDER;
    check_written(record);
    wr_cbor_put_array(&out, ITEMS);
    put_text(&out, titles[record->kind]);
    wr_cbor_put_uint(&out, VERSION);
    wr_cbor_put_bytes(&out, record->cid.bytes, WR_HASH_SIZE);
    wr_cbor_put_bytes(&out, signer_id(signer), SIGNER_ID);
    put_text(&out, provides ? record->addr : record->name);
    put_text(&out, provides ? record->region : "");
    wr_cbor_put_uint(&out, (uint64_t)record->issued_at.ns / MS);
    wr_cbor_put_uint(&out, (uint64_t)record->expires_at.ns / MS);
    WR_ASSERT(!out.cut);
    signer_sign(signer, buf, out.len, signature);
    wr_cbor_put_bytes(&out, signature, SIGNATURE);
    WR_ASSERT(!out.cut);
    return out.len;
}

/* ---- reading ---- */

static bool take_bytes(struct wr_cbor *cbor, unsigned char *ret, size_t size)
{
    struct wr_cbor_span span;
    if (!wr_cbor_bytes(cbor, &span) || span.len != size)
        return false;
    memcpy(ret, span.at, size);
    return true;
}

/* A text of at most `max` bytes, none of them zero. */
static bool take_text(struct wr_cbor *cbor, char *ret, size_t max)
{
    struct wr_cbor_span span;
    if (!wr_cbor_text(cbor, &span) || span.len > max || memchr(span.at, '\0', span.len))
        return false;
    memcpy(ret, span.at, span.len);
    ret[span.len] = '\0';
    return true;
}

static bool take_time(struct wr_cbor *cbor, struct wr_wall *ret)
{
    uint64_t ms;
    if (!wr_cbor_uint(cbor, &ms) || ms > INT64_MAX / MS)
        return false;
    ret->ns = (int64_t)ms * MS;
    return true;
}

static bool take_kind(struct wr_cbor *cbor, enum dht_kind *ret)
{
    char title[sizeof("weir/provider")];
    uint64_t version;
    if (!take_text(cbor, title, sizeof(title) - 1))
        return false;
    *ret = strcmp(title, titles[DHT_NAME]) == 0 ? DHT_NAME : DHT_PROVIDER;
    return strcmp(title, titles[*ret]) == 0 && wr_cbor_uint(cbor, &version)
        && version == VERSION;
}

static bool take_texts(struct wr_cbor *cbor, struct dht_record *record)
{
    if (record->kind == DHT_PROVIDER)
        return take_text(cbor, record->addr, DHT_ADDR_MAX)
            && take_text(cbor, record->region, DHT_REGION_MAX)
            && dht_addr_read(NULL, NULL, record->addr) == WR_OK
            && dht_region_fine(record->region);
    return take_text(cbor, record->name, DHT_NAME_MAX) && record->name[0]
        && take_text(cbor, record->region, 0);
}

/* All of it.  The signature has one form, so that what is signed ends SEAL before the end. */
static bool parse(struct dht_record *record, const unsigned char *bytes, size_t len)
{
    unsigned char signature[SIGNATURE];
    struct wr_cbor cbor = wr_cbor_over(bytes, len);
    size_t items;
    if (!wr_cbor_array(&cbor, &items) || items != ITEMS || !take_kind(&cbor, &record->kind)
        || !take_bytes(&cbor, record->cid.bytes, WR_HASH_SIZE)
        || !take_bytes(&cbor, record->id, SIGNER_ID) || !take_texts(&cbor, record)
        || !take_time(&cbor, &record->issued_at) || !take_time(&cbor, &record->expires_at))
        return false;
    return take_bytes(&cbor, signature, SIGNATURE) && wr_cbor_done(&cbor);
}

static bool is_wanted(const struct dht_record *record, const struct dht_wanted *wanted)
{
    if (record->kind != wanted->kind)
        return false;
    return wanted->kind == DHT_PROVIDER ? wr_hash_equal(&record->cid, wanted->cid)
                                        : strcmp(record->name, wanted->name) == 0;
}

static enum dht_fault judge(struct dht_record *record, const void *bytes, size_t len,
                            const struct dht_wanted *wanted, struct wr_wall now)
{
    if (len > DHT_RECORD_MAX)
        return DHT_OVERSIZED;
    if (!parse(record, bytes, len))
        return DHT_MALFORMED;
    if (!is_wanted(record, wanted))
        return DHT_FOREIGN;
    return in_time(record, now) ? DHT_FINE : DHT_EXPIRED;
}

wr_err dht_record_weigh(struct dht_record *ret, const void *bytes, size_t len,
                        const struct dht_wanted *wanted, struct wr_wall now,
                        enum dht_fault *ret_fault)
{
    struct dht_record record = { 0 };
    *ret_fault = judge(&record, bytes, len, wanted, now);
    if (*ret_fault != DHT_FINE)
        return WR_INVALID;
    *ret = record;
    return WR_OK;
}

wr_err dht_record_check(const struct dht_record *record, const void *bytes, size_t len)
{
    WR_ASSERT(len > SEAL);
    const unsigned char *end = (const unsigned char *)bytes + len;
    return signature_check(record->id, bytes, len - SEAL, end - SIGNATURE) ? WR_INVALID : WR_OK;
}

wr_err dht_record_read(struct dht_record *ret, const void *bytes, size_t len,
                       const struct dht_wanted *wanted, struct wr_wall now,
                       enum dht_fault *ret_fault)
{
    struct dht_record record;
    wr_err err = dht_record_weigh(&record, bytes, len, wanted, now, ret_fault);
    if (!err && dht_record_check(&record, bytes, len)) {
        *ret_fault = DHT_FORGED;
        err = WR_INVALID;
    }
    if (!err)
        *ret = record;
    return err;
}
