/* fetch_curl.c - the transport by libcurl.
 *
 * One fiber of the client, the driver, owns the multi handle and every easy handle:
 * they never leave its worker, and only it calls libcurl.  libcurl's sockets are
 * watched as one descriptor, its timer is one of ours.
 *
 * A request is an exchange, which its caller and the driver share; whoever is done
 * with it last frees it.  The caller posts what he wants (start, go on, drop) and the
 * driver leaves news; both under one lock that is held for a copy of bytes at most.
 * Nobody waits for the other to let go: a caller that was canceled posts a drop and
 * leaves.
 *
 * libcurl's callbacks run on the driver's stack, below foreign frames: nothing in
 * them waits.
 */
#include <stdlib.h>
#include <string.h>

#include <curl/curl.h>

#include <weir/chan.h>
#include <weir/lock.h>
#include <weir/offload.h>
#include <weir/select.h>

#include "net/fetch.h"
#include "net/fetch_curl.h"
#include "net/fetch_trust.h"
#include "net/os_curl.h"
#include "rt/os.h"

#define TURN_MAX 16             /* posts, and sockets, before others may run */

/* ---- what callers want ---- */

/* Ask the driver for something.  False: there is none any more. */
static bool post(struct exchange *exchange, unsigned want)
{
    struct driver *driver = exchange->driver;
    wr_mutex_lock(&driver->lock);
    bool alive = !driver->dead;
    if (alive) {
        if (!exchange->wants) {
            exchange->next_posted = NULL;
            *driver->posted_end = exchange;
            driver->posted_end = &exchange->next_posted;
        }
        exchange->wants |= want;
    }
    wr_mutex_unlock(&driver->lock);
    if (alive)
        (void)!wr_chan_send(driver->kick, &(char){ 0 }, WR_NOW);
    return alive;
}

static struct exchange *take_posted(struct driver *driver, unsigned *ret_wants)
{
    wr_mutex_lock(&driver->lock);
    struct exchange *first = driver->posted;
    if (first) {
        driver->posted = first->next_posted;
        if (!driver->posted)
            driver->posted_end = &driver->posted;
        *ret_wants = first->wants;
        first->wants = 0;
    }
    wr_mutex_unlock(&driver->lock);
    return first;
}

/* ---- the driver ---- */

/* The driver is done with it, one way or the other. */
static void finish(struct driver *driver, struct exchange *exchange, wr_err err)
{
    if (exchange->easy) {
        curl_multi_remove_handle(driver->multi, exchange->easy);
        curl_easy_cleanup(exchange->easy);
        exchange->easy = NULL;
        *exchange->live_link = exchange->next_live;
        if (exchange->next_live)
            exchange->next_live->live_link = exchange->live_link;
        driver->live_count--;
        driver->rest_since = wr_now();
    }
    wr_mutex_lock(&driver->lock);
    exchange->done = true;
    exchange->err = err;
    wr_mutex_unlock(&driver->lock);
    exchange_tell(exchange);
    exchange_unref(exchange);
}

static void begin(struct driver *driver, struct exchange *exchange)
{
    exchange->easy = exchange_easy(exchange);
    if (!exchange->easy || curl_multi_add_handle(driver->multi, exchange->easy)) {
        curl_easy_cleanup(exchange->easy);
        exchange->easy = NULL;
        finish(driver, exchange, WR_NOMEM);
        return;
    }
    exchange->next_live = driver->live;
    exchange->live_link = &driver->live;
    if (driver->live)
        driver->live->live_link = &exchange->next_live;
    driver->live = exchange;
    driver->live_count++;
}

static void serve_posts(struct driver *driver)
{
    struct exchange *exchange = NULL;
    unsigned wants, count = 0;
    while (count++ < TURN_MAX && (exchange = take_posted(driver, &wants))) {
        if (wants & WANT_DROP) {
            if (exchange->easy || wants & WANT_START)
                finish(driver, exchange, WR_CANCELED);
        } else if (wants & WANT_START) {
            begin(driver, exchange);
        } else if (exchange->easy) {
            curl_easy_pause(exchange->easy, CURLPAUSE_CONT);
        }
        if (wants & WANT_DROP)
            exchange_unref(exchange);
    }
    if (exchange)                   /* there may be more: come back */
        (void)!wr_chan_send(driver->kick, &(char){ 0 }, WR_NOW);
}

static void serve_sockets(struct driver *driver)
{
    struct os_ready ready[TURN_MAX];
    int running;
    size_t count = wr_os_sockets_take(driver->watch, ready, TURN_MAX);
    for (size_t i = 0; i < count; i++) {
        int events = (ready[i].events & WR_READABLE ? CURL_CSELECT_IN : 0)
            | (ready[i].events & WR_WRITABLE ? CURL_CSELECT_OUT : 0)
            | (ready[i].failed ? CURL_CSELECT_ERR : 0);
        curl_multi_socket_action(driver->multi, ready[i].socket, events, &running);
    }
}

static void serve_timer(struct driver *driver)
{
    int running;
    if (!wr_timer_due(&driver->timer))
        return;
    wr_timer_clear(&driver->timer);
    curl_multi_socket_action(driver->multi, CURL_SOCKET_TIMEOUT, 0, &running);
}

static void serve_done(struct driver *driver)
{
    CURLMsg *message;
    int left;
    while ((message = curl_multi_info_read(driver->multi, &left))) {
        struct exchange *exchange = NULL;
        CURLcode result = message->data.result;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&exchange);
        finish(driver, exchange, result ? exchange_failed(exchange, result) : WR_OK);
    }
}

/* libcurl's wishes. */

static int watch_socket(CURL *easy, curl_socket_t socket, int what, void *arg, void *of_socket)
{
    struct driver *driver = arg;
    unsigned events = 0;
    (void)easy;
    (void)of_socket;
    if (what == CURL_POLL_IN || what == CURL_POLL_INOUT)
        events |= WR_READABLE;
    if (what == CURL_POLL_OUT || what == CURL_POLL_INOUT)
        events |= WR_WRITABLE;
    return wr_os_sockets_set(driver->watch, socket, events) ? -1 : 0;
}

static int set_timer(CURLM *multi, long ms, void *arg)
{
    struct driver *driver = arg;
    (void)multi;
    if (ms < 0)
        wr_timer_clear(&driver->timer);
    else
        wr_timer_set(&driver->timer, wr_after(WR_MS(ms)));
    return 0;
}

static wr_err multi_open(struct driver *driver)
{
    const struct wr_fetch_conf *conf = &driver->client->conf;
    CURLM *multi = driver->multi = curl_multi_init();
    if (!multi)
        return WR_NOMEM;
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, watch_socket);
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, driver);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, set_timer);
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, driver);
    curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, (long)conf->host_connections_max);
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)RESTING_MAX);
    return WR_OK;
}

static void multi_close(struct driver *driver)
{
    if (driver->multi)
        curl_multi_cleanup(driver->multi);
    driver->multi = NULL;
    wr_timer_clear(&driver->timer);
}

/* libcurl closes what rests when it looks for a connection.  When nobody asks for one
 * any more, this does. */
static wr_err let_go_of_the_rest(struct driver *driver)
{
    driver->rest_since = WR_NEVER;
    multi_close(driver);
    return multi_open(driver);
}

static wr_err turn(struct driver *driver)
{
    char nothing;
    struct wr_case cases[] = {
        WR_CASE_RECV(driver->kick, &nothing),
        WR_CASE_TIMER(&driver->timer),
        WR_CASE_FD(driver->fd, WR_READABLE),
    };
    size_t which;
    bool resting = driver->live_count == 0 && driver->rest_since != WR_NEVER;
    wr_err err = wr_select(&which, cases, 3,
                           resting ? driver->rest_since + driver->client->conf.idle_max
                                   : WR_NEVER);
    if (err == WR_TIMEOUT && resting && !wr_scope_check()) {
        wr_foreign_enter();
        err = let_go_of_the_rest(driver);
        wr_foreign_leave();
        return err;
    }
    if (err)
        return err;
    wr_foreign_enter();
    serve_posts(driver);
    serve_timer(driver);
    serve_sockets(driver);
    serve_done(driver);
    wr_foreign_leave();
    return wr_yield();
}

static wr_err open_all(struct driver *driver)
{
    wr_err err = wr_os_sockets_open(&driver->watch);
    if (err)
        return err;
    err = wr_fd_open(&driver->fd, driver->watch);
    if (err) {
        wr_os_fd_close(driver->watch);
        return err;
    }
    driver->rest_since = WR_NEVER;
    return multi_open(driver);
}

/* Everybody who is still there is told that the client is closed. */
static void end_all(struct driver *driver)
{
    struct exchange *exchange;
    unsigned wants;
    wr_mutex_lock(&driver->lock);
    driver->dead = true;
    wr_mutex_unlock(&driver->lock);
    wr_foreign_enter();
    while ((exchange = take_posted(driver, &wants))) {
        if (wants & WANT_START)
            finish(driver, exchange, WR_CLOSED);
        if (wants & WANT_DROP)
            exchange_unref(exchange);
    }
    while (driver->live)
        finish(driver, driver->live, WR_CLOSED);
    multi_close(driver);
    wr_foreign_leave();
    wr_fd_close(driver->fd);
    driver->fd = NULL;
}

static wr_err drive(void *arg)
{
    struct driver *driver = arg;
    wr_err err = open_all(driver);
    (void)!wr_once_set(driver->ready, &err);
    while (!err)
        err = turn(driver);
    end_all(driver);
    return err;
}

/* ---- as a transport ---- */

/* The first time it reads files. */
static void init_library(void *arg)
{
    struct driver *driver = arg;
    driver->library = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

static wr_err curl_start(struct wr_fetch_client *client)
{
    struct driver *driver = calloc(1, sizeof(*driver));
    wr_err result;
    if (!driver)
        return WR_NOMEM;
    client->transport = driver;
    driver->client = client;
    driver->posted_end = &driver->posted;
    driver->lock = (struct wr_mutex)WR_MUTEX("fetch.curl", RANK_CURL);
    wr_err err = wr_offload(init_library, driver, WR_NEVER);
    if (!err && !driver->library)
        err = WR_NOMEM;
    if (!err)
        err = wr_once_new(&driver->ready, "fetch.ready", sizeof(wr_err));
    if (!err)
        err = fetch_trust_new(&driver->trust, client->conf.ca_file);
    if (!err)
        err = exchange_news(&driver->kick, "fetch.kick");
    if (!err)
        err = wr_scope_go(client->scope, "fetch.driver", drive, driver);
    if (!err)
        err = wr_once_wait(driver->ready, &result, WR_NEVER);
    return err ? err : result;
}

static void curl_free_all(struct wr_fetch_client *client)
{
    struct driver *driver = client->transport;
    if (!driver)
        return;
    wr_chan_free(driver->kick);
    wr_once_free(driver->ready);
    fetch_trust_free(driver->trust);
    wr_mutex_fini(&driver->lock);
    if (driver->library)
        curl_global_cleanup();
    free(driver);
}

static void curl_drop(struct wr_fetch *fetch)
{
    struct exchange *exchange = fetch->exchange;
    fetch->exchange = NULL;
    atomic_fetch_add(&exchange->refs, 1);       /* the post's, which the driver gives up */
    if (!post(exchange, WANT_DROP))
        exchange_unref(exchange);
    exchange_unref(exchange);
}

/* Wait for news of an exchange. */
static wr_err await_news(struct wr_fetch *fetch, wr_time deadline, const char *place)
{
    struct exchange *exchange = fetch->exchange;
    char nothing;
    fetch->op = atomic_load(&exchange->op);
    wr_err err = (wr_chan_recv)(exchange->news, &nothing, deadline, place);
    fetch->op = atomic_load(&exchange->op);
    return err;
}

/* Whether there is a head, or an end without one; the head moves to the fetch. */
static bool take_head(struct wr_fetch *fetch, wr_err *ret_err)
{
    struct exchange *exchange = fetch->exchange;
    wr_mutex_lock(&exchange->driver->lock);
    bool whole = exchange->head_whole, done = exchange->done;
    *ret_err = whole ? WR_OK : exchange->err;
    if (whole) {
        fetch_head_free(&fetch->head);
        fetch->head = exchange->head;
        exchange->head = (struct fetch_head){ 0 };
    } else if (done) {
        memcpy(fetch->why, exchange->why, sizeof(fetch->why));
    }
    wr_mutex_unlock(&exchange->driver->lock);
    if (done && !whole && !*ret_err)
        *ret_err = fetch_why(fetch->why, WR_IO, "%.150s gave no answer", fetch->url.text);
    return whole || done;
}

static wr_err curl_send(struct wr_fetch *fetch, const struct fetch_ask *ask, wr_time deadline,
                        const char *place)
{
    struct driver *driver = fetch->client->transport;
    struct exchange *exchange = NULL;
    wr_err err = ask->url->tls ? fetch_trust_ready(driver->trust, fetch->why, deadline) : WR_OK;
    if (!err)
        err = exchange_new(&exchange, fetch->client, ask);
    if (err)
        return err;
    fetch->exchange = exchange;
    if (!post(exchange, WANT_START)) {
        exchange_unref(exchange);               /* the driver's */
        err = WR_CLOSED;
    }
    for (wr_err ended; !err;) {
        if (take_head(fetch, &ended)) {
            err = ended;
            break;
        }
        err = await_news(fetch, deadline, place);
    }
    if (err)
        curl_drop(fetch);
    return err;
}

/* Bytes on hand, or how it ended.  *ret_go_on: the peer was made to wait and need not. */
static bool take_bytes(struct wr_fetch *fetch, size_t *ret, char *buf, size_t size,
                       wr_err *ret_err, bool *ret_go_on)
{
    struct exchange *exchange = fetch->exchange;
    wr_mutex_lock(&exchange->driver->lock);
    size_t left = exchange->held_len - exchange->held_at;
    bool done = exchange->done;
    *ret = left < size ? left : size;
    if (*ret > 0)
        memcpy(buf, exchange->held + exchange->held_at, *ret);
    exchange->held_at += *ret;
    if (exchange->held_at == exchange->held_len)
        exchange->held_at = exchange->held_len = 0;
    *ret_go_on = exchange->paused && left - *ret <= HELD_LOW;
    if (*ret_go_on)
        exchange->paused = false;
    *ret_err = *ret == 0 ? exchange->err : WR_OK;
    if (*ret_err)
        memcpy(fetch->why, exchange->why, sizeof(fetch->why));
    wr_mutex_unlock(&exchange->driver->lock);
    return *ret > 0 || done;
}

static wr_err curl_read(struct wr_fetch *fetch, size_t *ret, char *buf, size_t size,
                        wr_time deadline, const char *place)
{
    for (;;) {
        wr_err err;
        bool go_on;
        bool some = take_bytes(fetch, ret, buf, size, &err, &go_on);
        if (go_on)
            post(fetch->exchange, WANT_MORE);
        if (some)
            return err;
        err = await_news(fetch, deadline, place);
        if (err)
            return err;
    }
}

const struct fetch_ops fetch_curl = {
    .start = curl_start, .free = curl_free_all, .send = curl_send, .read = curl_read,
    .drop = curl_drop,
};
