/* liars.h - a DHT into which anybody puts what he likes, and proxies of it that are slow, dead,
 * or lie: for scenarios.
 *
 *     struct cloud cloud = { 0 };
 *     cloud_open(&cloud, scope);                      its proxies: cloud.hosts[i].ip, port 80
 *     cloud_keep(&cloud, path, data, fault, brief);   path is a key in hex, data base64
 *     ...cloud.sent[fault]                            so often has such a value been told
 *
 * A proxy answers late, with nonsense, with half of it, with what was not asked, with nothing,
 * or not at all, as often as its character, which the seed has chosen, will have it.  What is
 * put into one that says so lies in the DHT.
 */
#ifndef WR_SCENARIO_LIARS_H
#define WR_SCENARIO_LIARS_H

#include <stdio.h>
#include <string.h>

#include <weir/addr.h>
#include <weir/http.h>
#include <weir/stream.h>

#include "dht/dht_record.h"
#include "sim/scenario.h"

#define CLOUD_PROXIES 5
#define CLOUD_SUBJECTS 8
#define CLOUD_VALUES 96
#define CLOUD_DATA 2200         /* a value as text */

/* A key that may be asked for. */
struct cloud_subject {
    char path[2 * DHT_KEY + 1];
    wr_time none_at;            /* when a proxy last said that there is none */
};

struct cloud_value {
    char key[2 * DHT_KEY + 1], data[CLOUD_DATA];
    enum dht_fault fault;       /* of a record that is fine: 0 */
    bool brief;                 /* it is soon over */
};

/* Of one answer. */
enum cloud_mood {
    HONEST, WRONG_STATUS, NOT_JSON, CUT_OFF, SILENT, OTHER_KEY, WITHHOLDS, TOO_LONG, MOODS,
};

struct cloud_host {
    struct cloud *cloud;
    struct wr_http *http;
    unsigned lies;              /* once in so many answers; 0: never */
    char ip[16];
    bool open;
};

struct cloud {
    struct cloud_host hosts[CLOUD_PROXIES];
    struct cloud_subject subjects[CLOUD_SUBJECTS];
    struct cloud_value values[CLOUD_VALUES];
    size_t count;
    uint64_t sent[DHT_FAULTS];
};

/* ---- what lies there ---- */

static inline void cloud_base64(char *text, const unsigned char *bytes, size_t len)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
    for (size_t i = 0; i < len; i += 3, text += 4) {
        unsigned word = (unsigned)bytes[i] << 16;
        word |= i + 1 < len ? (unsigned)bytes[i + 1] << 8 : 0;
        word |= i + 2 < len ? bytes[i + 2] : 0;
        text[0] = digits[word >> 18];
        text[1] = digits[word >> 12 & 63];
        text[2] = digits[i + 1 < len ? word >> 6 & 63 : 64];
        text[3] = digits[i + 2 < len ? word & 63 : 64];
    }
    *text = '\0';
}

static inline bool cloud_has(const struct cloud *cloud, const char *key, const char *data)
{
    for (size_t i = 0; i < cloud->count; i++)
        if (strcmp(cloud->values[i].key, key) == 0
            && strcmp(cloud->values[i].data, data) == 0)
            return true;
    return false;
}

static inline void cloud_keep(struct cloud *cloud, const char *key, const char *data,
                              enum dht_fault fault, bool brief)
{
    if (cloud_has(cloud, key, data))
        return;
    WR_ASSERT(cloud->count < CLOUD_VALUES && strlen(data) < CLOUD_DATA
              && strlen(key) < sizeof(cloud->values[0].key));
    struct cloud_value *value = &cloud->values[cloud->count++];
    *value = (struct cloud_value){ .fault = fault, .brief = brief };
    memmove(value->key, key, strlen(key));
    memmove(value->data, data, strlen(data));
}

/* ---- a proxy ---- */

static inline struct cloud_subject *cloud_subject_at(struct cloud *cloud, const char *path)
{
    for (size_t i = 0; i < CLOUD_SUBJECTS; i++)
        if (strcmp(cloud->subjects[i].path, path) == 0)
            return &cloud->subjects[i];
    return NULL;
}

static inline enum cloud_mood cloud_mood_of(const struct cloud_host *host)
{
    return host->lies && wr_sim_fault("proxy", host->lies)
        ? (enum cloud_mood)(1 + wr_sim_below(MOODS - 1)) : HONEST;
}

static inline wr_err cloud_say(struct wr_call *call, const char *text)
{
    return wr_call_send(call, text, strlen(text), wr_after(WR_S(5)));
}

static inline bool cloud_is_record(const struct cloud_value *value)
{
    return value->fault != DHT_OVERSIZED && value->fault != DHT_MALFORMED;
}

/* All values under a key, or all others; *ret_good: one of them may be believed. */
static inline wr_err cloud_say_values(struct cloud *cloud, struct wr_call *call,
                                      const char *path, bool foreign, bool *ret_good)
{
    char line[CLOUD_DATA + 64];
    wr_err err = WR_OK;
    for (size_t i = 0; i < cloud->count && !err; i++) {
        const struct cloud_value *value = &cloud->values[i];
        if ((strcmp(value->key, path) == 0) == foreign)
            continue;
        cloud->sent[foreign && cloud_is_record(value) ? DHT_FOREIGN : value->fault]++;
        cloud->sent[DHT_EXPIRED] += value->brief;
        *ret_good |= !foreign && !value->fault && !value->brief;
        snprintf(line, sizeof(line), "{\"data\":\"%s\",\"id\":\"%zu\",\"type\":0}\n",
                 value->data, i + 1);
        err = cloud_say(call, line);
        if (!err && wr_sim_below(4) == 0)
            err = wr_sleep(some_time(WR_MS(40)));
    }
    return err;
}

static inline wr_err cloud_say_too_long(struct cloud *cloud, struct wr_call *call)
{
    char some[5000];
    memset(some, 'A', sizeof(some) - 1);
    some[sizeof(some) - 1] = '\0';
    cloud->sent[DHT_OVERSIZED]++;
    wr_err err = cloud_say(call, "{\"data\":\"");
    err = err ? err : cloud_say(call, some);
    return err ? err : cloud_say(call, "\"}\n");
}

static inline wr_err cloud_answer(struct wr_call *call, struct cloud_host *host,
                                  enum cloud_mood mood, bool *ret_good)
{
    struct cloud *cloud = host->cloud;
    const char *path = wr_call_param(call, "key");
    wr_err err = wr_call_begin(call);
    if (!err && mood == NOT_JSON)
        err = cloud_say(call, wr_sim_below(2) ? "<html>\n" : "{\"data\":\"AAAA\",\n");
    if (!err && mood == TOO_LONG)
        err = cloud_say_too_long(cloud, call);
    if (!err && mood == OTHER_KEY)
        err = cloud_say_values(cloud, call, path, true, ret_good);
    else if (!err && mood != WITHHOLDS && mood != NOT_JSON)
        err = cloud_say_values(cloud, call, path, false, ret_good);
    return err || mood != CUT_OFF ? err : WR_IO;
}

static inline wr_err cloud_get_values(struct wr_call *call)
{
    struct cloud_host *host = wr_call_arg(call);
    struct cloud_subject *subject = cloud_subject_at(host->cloud, wr_call_param(call, "key"));
    enum cloud_mood mood = cloud_mood_of(host);
    bool good = false;
    WR_ASSERT(subject);
    wr_err err = wr_sleep(some_time(mood == SILENT ? WR_S(10) : WR_MS(30)));
    if (err)
        return err;
    if (mood == WRONG_STATUS) {
        wr_call_status(call, wr_sim_below(2) ? 500 : 429);
        return wr_call_begin(call);
    }
    err = cloud_answer(call, host, mood, &good);
    if (!err && !good)
        subject->none_at = wr_now();
    return err;
}

static inline wr_err cloud_put_value(struct wr_call *call)
{
    struct cloud_host *host = wr_call_arg(call);
    char data[CLOUD_DATA], id[24];
    size_t len;
    enum cloud_mood mood = cloud_mood_of(host);
    const char *body = wr_call_body(call, &len);
    WR_ASSERT(sscanf(body, "{\"data\":\"%2199[^\"]\",\"id\":\"%23[0-9]\"}", data, id) == 2);
    wr_err err = wr_sleep(some_time(mood == SILENT ? WR_S(10) : WR_MS(30)));
    if (err || mood == WRONG_STATUS)
        return err ? err : WR_IO;
    cloud_keep(host->cloud, wr_call_param(call, "key"), data, DHT_FINE, false);
    wr_call_print(call, "{\"data\":\"%s\",\"id\":\"%s\",\"type\":0}\n", data, id);
    return WR_OK;
}

static inline wr_err cloud_ping(struct wr_call *call)
{
    struct cloud_host *host = wr_call_arg(call);
    enum cloud_mood mood = cloud_mood_of(host);
    wr_err err = wr_sleep(some_time(mood == SILENT ? WR_S(10) : WR_MS(30)));
    if (err || mood == WRONG_STATUS)
        return err ? err : WR_IO;
    wr_call_print(call, mood == NOT_JSON ? "ok" : "{\"ipv4\":{\"good\":7}}");
    return WR_OK;
}

static inline wr_err cloud_serve(void *arg)
{
    struct cloud_host *host = arg;
    const struct wr_route routes[] = {
        { .method = "GET", .path = "/key/{key}", .handler = cloud_get_values, .arg = host,
          .class = WR_ROUTE_STREAM },
        { .method = "POST", .path = "/key/{key}", .handler = cloud_put_value, .arg = host,
          .class = WR_ROUTE_LONG },
        { .method = "GET", .path = "/", .handler = cloud_ping, .arg = host,
          .class = WR_ROUTE_LONG },
    };
    struct wr_listener *listener;
    struct wr_addr addr;
    MUST(wr_http_new(&host->http, &(struct wr_http_conf){ .routes = routes, .count = 3 }));
    MUST(wr_addr_parse_ip(&addr, host->ip, 80));
    MUST(wr_listen(&listener, &addr));
    host->open = true;
    wr_err err = wr_http_serve(host->http, listener);
    wr_listener_close(listener);
    wr_http_free(host->http);
    return err;
}

static inline wr_err cloud_proxy(void *arg)
{
    struct cloud_host *host = arg;
    return wr_sim_host(host->ip, cloud_serve, host);
}

/* ---- life ---- */

static inline void cloud_open(struct cloud *cloud, struct wr_scope *scope)
{
    static const unsigned lies[] = { 0, 8, 3, 1 };
    for (unsigned i = 0; i < CLOUD_PROXIES; i++) {
        struct cloud_host *host = &cloud->hosts[i];
        *host = (struct cloud_host){ .cloud = cloud, .lies = lies[wr_sim_below(4)] };
        snprintf(host->ip, sizeof(host->ip), "10.0.0.%u", i + 2);
        MUST(wr_scope_go(scope, "index.proxy", cloud_proxy, host));
        while (!host->open)
            MUST(wr_sleep(wr_after(WR_MS(1))));
    }
}

#endif
