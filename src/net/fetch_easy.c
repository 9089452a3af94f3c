/* fetch_easy.c - a request as libcurl's easy handle, and what libcurl calls back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "net/fetch_curl.h"
#include "net/fetch_trust.h"
#include "net/os_curl.h"

#define A_DAY_MS 86400000L

/* ---- from a request ---- */

static uint64_t same(const void *item)
{
    (void)item;
    return 0;
}

wr_err exchange_news(struct wr_chan **ret, const char *name)
{
    return wr_chan_new(ret, &(struct wr_chan_conf){
        .name = name, .item_size = 1, .cap = 1, .policy = WR_COALESCE, .key = same });
}

static bool append(struct curl_slist **list, const char *line)
{
    struct curl_slist *more = line ? curl_slist_append(*list, line) : NULL;
    if (more)
        *list = more;
    return more;
}

/* A field without a value is written with a semicolon: libcurl would leave it out. */
static bool append_header(struct curl_slist **list, const struct wr_fetch_header *header)
{
    size_t size = strlen(header->name) + strlen(header->value) + 3;
    char *line = malloc(size);
    if (line && header->value[0])
        snprintf(line, size, "%s: %s", header->name, header->value);
    else if (line)
        snprintf(line, size, "%s;", header->name);
    bool added = append(list, line);
    free(line);
    return added;
}

/* What libcurl would add of its own is switched off: both transports send the same. */
static bool list_headers(struct exchange *exchange, const struct fetch_ask *ask)
{
    bool typed = false, ok = append(&exchange->headers, "Expect:");
    for (size_t i = 0; i < ask->header_count && ok; i++) {
        ok = append_header(&exchange->headers, &ask->headers[i]);
        typed |= strcasecmp(ask->headers[i].name, "content-type") == 0;
    }
    return ok && (typed || append(&exchange->headers, "Content-Type:"));
}

/* The addresses that were judged, as if they had been looked up by libcurl. */
static bool list_addresses(struct exchange *exchange, const struct fetch_ask *ask)
{
    char line[300 + FETCH_ADDRS_MAX * WR_ADDR_TEXT_MAX], text[WR_ADDR_TEXT_MAX];
    if (ask->peer->ip.kind)
        return true;
    int len = snprintf(line, sizeof(line), "+%s:%u:", ask->peer->host, ask->peer->port);
    for (size_t i = 0; i < ask->addrs.count; i++) {
        char *colon = strrchr(wr_addr_print(&ask->addrs.list[i], text), ':');
        *colon = '\0';
        len += snprintf(line + len, sizeof(line) - (size_t)len, "%s%s", i ? "," : "", text);
    }
    return append(&exchange->resolve, line);
}

wr_err exchange_new(struct exchange **ret, struct wr_fetch_client *client,
                    const struct fetch_ask *ask)
{
    struct exchange *exchange = calloc(1, sizeof(*exchange));
    if (!exchange)
        return WR_NOMEM;
    atomic_init(&exchange->refs, 2);
    atomic_init(&exchange->op, IOSTAT_CONNECT);
    exchange->driver = client->transport;
    exchange->url = strdup(ask->url->text);
    exchange->method = strdup(ask->method);
    exchange->body = malloc(ask->body_len + 1);
    exchange->body_len = ask->body_len;
    exchange->bodied = ask->bodied;
    exchange->tls = ask->url->tls;
    exchange->proxied = ask->peer != ask->url;
    if (exchange->body && ask->body_len)
        memcpy(exchange->body, ask->body, ask->body_len);
    if (!exchange->url || !exchange->method || !exchange->body
        || exchange_news(&exchange->news, "fetch.news") || !list_headers(exchange, ask)
        || !list_addresses(exchange, ask)) {
        atomic_store(&exchange->refs, 1);
        exchange_unref(exchange);
        return WR_NOMEM;
    }
    *ret = exchange;
    return WR_OK;
}

void exchange_unref(struct exchange *exchange)
{
    if (atomic_fetch_sub(&exchange->refs, 1) > 1)
        return;
    curl_slist_free_all(exchange->headers);
    curl_slist_free_all(exchange->resolve);
    fetch_head_free(&exchange->head);
    wr_chan_free(exchange->news);
    free(exchange->url);
    free(exchange->method);
    free(exchange->body);
    free(exchange->held);
    free(exchange);
}

void exchange_tell(struct exchange *exchange)
{
    (void)!wr_chan_send(exchange->news, &(char){ 0 }, WR_NOW);
}

/* ---- what libcurl calls ---- */

/* Where libcurl is about to connect: the last word on whether it may. */
static curl_socket_t open_socket(void *arg, curlsocktype purpose, struct curl_sockaddr *place)
{
    struct exchange *exchange = arg;
    struct wr_fetch_client *client = exchange->driver->client;
    char text[WR_ADDR_TEXT_MAX];
    struct wr_addr addr;
    (void)purpose;
    bool known = wr_os_address(&addr, &place->addr);
    if (!known || (!exchange->proxied && !fetch_may_reach(client, &addr))) {
        exchange->refused = fetch_why(exchange->why, WR_DENIED, "%.100s leads to %s, an "
                                      "internal address, where this client does not go unless "
                                      "it is told to", exchange->url,
                                      known ? wr_addr_print(&addr, text) : "no IP address");
        return CURL_SOCKET_BAD;
    }
    int fd = wr_os_socket(place->family, place->socktype, place->protocol,
                          &exchange->refused);
    if (fd >= 0)
        atomic_fetch_add(&client->connects, 1);
    return fd < 0 ? CURL_SOCKET_BAD : fd;
}

static int connected(void *arg, char *peer_ip, char *local_ip, int peer_port, int local_port)
{
    struct exchange *exchange = arg;
    (void)peer_ip;
    (void)local_ip;
    (void)peer_port;
    (void)local_port;
    atomic_store(&exchange->op, IOSTAT_READ);
    return CURL_PREREQFUNC_OK;
}

static CURLcode give_trust(CURL *easy, void *ssl_ctx, void *arg)
{
    struct exchange *exchange = arg;
    (void)easy;
    fetch_trust_give(exchange->driver->trust, ssl_ctx);
    return CURLE_OK;
}

static size_t refuse_head(struct exchange *exchange, wr_err err, const char *clause)
{
    exchange->refused = fetch_why(exchange->why, err, "the answer of %.150s cannot be taken: "
                                  "%s", exchange->url, clause);
    return 0;
}

static size_t head_line(char *line, size_t one, size_t len, void *arg)
{
    struct exchange *exchange = arg;
    struct fetch_head *head = &exchange->head;
    const char *colon = memchr(line, ':', len), *why;
    (void)one;
    if (exchange->head_whole)
        return len;                     /* fields after the body */
    if (len > 5 && strncmp(line, "HTTP/", 5) == 0) {
        const char *space = memchr(line, ' ', len);
        fetch_head_reset(head);         /* what came before was an interim answer */
        head->status = space ? (unsigned)strtoul(space + 1, NULL, 10) : 0;
        return head->status >= 100 && head->status <= 599
            ? len : refuse_head(exchange, WR_IO, "its status is not one of 100 to 599");
    }
    if (line[0] == '\r' || line[0] == '\n') {
        if (head->status < 200)
            return len;
        wr_mutex_lock(&exchange->driver->lock);
        exchange->head_whole = true;
        wr_mutex_unlock(&exchange->driver->lock);
        exchange_tell(exchange);
        return len;
    }
    if (!colon || line[0] == ' ' || line[0] == '\t')
        return refuse_head(exchange, WR_IO, "its head has a line that is no field");
    wr_err err = fetch_head_add(head, line, (size_t)(colon - line), colon + 1,
                                len - (size_t)(colon + 1 - line));
    if (!err)
        return len;
    err = fetch_head_refused(err, &why);
    return refuse_head(exchange, err, why);
}

/* The lock is held. */
static wr_err hold(struct exchange *exchange, const char *bytes, size_t len)
{
    size_t need = exchange->held_len + len;
    if (need > exchange->held_cap && exchange->held_at > 0) {
        exchange->held_len -= exchange->held_at;
        memmove(exchange->held, exchange->held + exchange->held_at, exchange->held_len);
        exchange->held_at = 0;
        need = exchange->held_len + len;
    }
    if (need > exchange->held_cap) {
        size_t cap = exchange->held_cap ? exchange->held_cap : 1024;
        while (cap < need)
            cap *= 2;
        char *more = realloc(exchange->held, cap);
        if (!more)
            return WR_NOMEM;
        exchange->held = more;
        exchange->held_cap = cap;
    }
    memcpy(exchange->held + exchange->held_len, bytes, len);
    exchange->held_len += len;
    return WR_OK;
}

/* A reader that falls behind makes libcurl stop reading, and so the peer wait. */
static size_t body_bytes(char *bytes, size_t one, size_t len, void *arg)
{
    struct exchange *exchange = arg;
    (void)one;
    wr_mutex_lock(&exchange->driver->lock);
    bool full = exchange->held_len - exchange->held_at + len > HELD_MAX;
    wr_err err = full ? WR_OK : hold(exchange, bytes, len);
    exchange->paused = full;
    wr_mutex_unlock(&exchange->driver->lock);
    if (full)
        return CURL_WRITEFUNC_PAUSE;
    if (err)
        return refuse_head(exchange, err, "there is no memory for its body");
    exchange_tell(exchange);
    return len;
}

/* ---- the handle ---- */

static void set_request(CURL *easy, struct exchange *exchange)
{
    curl_easy_setopt(easy, CURLOPT_URL, exchange->url);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, exchange->headers);
    curl_easy_setopt(easy, CURLOPT_RESOLVE, exchange->resolve);
    if (exchange->bodied) {
        curl_easy_setopt(easy, CURLOPT_POST, 1L);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDS, exchange->body);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)exchange->body_len);
    }
    if (strcmp(exchange->method, "HEAD") == 0)
        curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
    else
        curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, exchange->method);
}

/* Nothing of the environment counts, nothing is followed, kept or decoded: all that is
 * for fetch.c to decide.  The deadline is the caller's. */
static void set_rules(CURL *easy, const struct wr_fetch_conf *conf, bool tls)
{
    wr_time idle_s = (conf->idle_max + WR_S(1) - 1) / WR_S(1);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_HTTP_CONTENT_DECODING, 0L);
    curl_easy_setopt(easy, CURLOPT_PROXY, conf->proxy ? conf->proxy : "");
    curl_easy_setopt(easy, CURLOPT_NOPROXY, "");
    curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, A_DAY_MS);
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
    curl_easy_setopt(easy, CURLOPT_MAXAGE_CONN, (long)idle_s);
    curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, conf->fresh ? 1L : 0L);
    curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, conf->fresh ? 1L : 0L);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, tls && conf->http2
        ? (long)CURL_HTTP_VERSION_2TLS : (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(easy, CURLOPT_PIPEWAIT, conf->http2 ? 1L : 0L);
    curl_easy_setopt(easy, CURLOPT_CAINFO, NULL);       /* what is trusted is given */
    curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
    curl_easy_setopt(easy, CURLOPT_CA_CACHE_TIMEOUT, 0L);
}

static void set_callbacks(CURL *easy, struct exchange *exchange)
{
    curl_easy_setopt(easy, CURLOPT_PRIVATE, exchange);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, exchange->error);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, exchange);
    curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, give_trust);
    curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, exchange);
    curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, connected);
    curl_easy_setopt(easy, CURLOPT_PREREQDATA, exchange);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, head_line);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, exchange);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, body_bytes);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, exchange);
}

CURL *exchange_easy(struct exchange *exchange)
{
    CURL *easy = curl_easy_init();
    if (!easy)
        return NULL;
    set_request(easy, exchange);
    set_rules(easy, &exchange->driver->client->conf, exchange->tls);
    set_callbacks(easy, exchange);
    return easy;
}

static wr_err meaning(CURLcode code)
{
    switch (code) {
    case CURLE_OUT_OF_MEMORY: return WR_NOMEM;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY: return WR_NOTFOUND;
    case CURLE_OPERATION_TIMEDOUT: return WR_TIMEOUT;
    default: return WR_IO;
    }
}

wr_err exchange_failed(struct exchange *exchange, CURLcode code)
{
    if (!exchange->refused)
        return fetch_why(exchange->why, meaning(code), "%.120s: %s", exchange->url,
                         exchange->error[0] ? exchange->error : curl_easy_strerror(code));
    if (exchange->why[0])
        return exchange->refused;
    return fetch_why(exchange->why, exchange->refused, "%.150s: %s", exchange->url,
                     wr_err_text(exchange->refused));
}
