/* door.c - see door.h. */
#include "net/door.h"

#include <stdlib.h>

#include <weir/scope.h>
#include <weir/task.h>

#include "base/forget.h"
#include "net/reject.h"

#define NO_DESCRIPTOR_PAUSE WR_MS(50)
#define AWAY_MAX 32                     /* are turned away in one go */
#define LINGER WR_S(1)
#define LINGER_BYTES ((size_t)2 << 20)

struct arrival {
    struct door *door;
    struct wr_guest *guest;
    struct wr_conn conn;
};

struct entrant {
    struct door *door;
    struct wr_guest *guest;
    struct wr_stream *stream;
};

wr_err door_init(struct door *door, const struct door_conf *conf)
{
    *door = (struct door){ .conf = *conf };
    wr_err err = wr_admit_new(&door->admit, &(struct wr_admit_limits){ 0 }, 0);
    if (!err)
        wr_admit_set_total(door->admit, 0);
    return err;
}

void door_fini(struct door *door)
{
    if (!door->shared)
        wr_admit_free(door->admit);
}

void door_share(struct door *door, struct wr_admit *admit)
{
    door_fini(door);
    door->admit = admit;
    door->shared = true;
}

void door_limit(struct door *door, const struct wr_admit_limits *limits)
{
    if (!door->shared)
        wr_admit_set(door->admit, limits);
}

void door_tune(struct door *door, unsigned connections_max, wr_time handshake_within)
{
    if (!door->shared)
        wr_admit_set_total(door->admit, connections_max);
    atomic_store(&door->handshake_within, handshake_within);
}

size_t door_connections(const struct door *door)
{
    return atomic_load(&door->connections);
}

/* ---- in its own fiber ---- */

static void go_out(void *arg)
{
    struct entrant *entrant = arg;
    wr_stream_close(entrant->stream);
    wr_admit_leave(entrant->door->admit, entrant->guest);
    atomic_fetch_sub(&entrant->door->connections, 1);
}

static bool shake_hands(struct entrant *entrant)
{
    struct door *door = entrant->door;
    return !door->conf.tls
        || !wr_tls_accept(door->conf.tls, &entrant->stream, wr_after(door->handshake_within));
}

static wr_err serve_one(void *arg)
{
    struct arrival *arrival = arg;
    struct entrant entrant = { .door = arrival->door, .guest = arrival->guest };
    struct wr_cleanup cleanup = { .fn = go_out, .arg = &entrant };
    wr_cleanup_push(&cleanup);
    wr_err err = wr_stream_open(&entrant.stream, &arrival->conn);
    free(arrival);
    if (!err && shake_hands(&entrant))
        entrant.door->conf.serve(entrant.door->conf.server, entrant.stream, entrant.guest);
    wr_cleanup_pop(&cleanup);
    go_out(&entrant);
    return WR_OK;
}

/* ---- in the fiber that accepts ---- */

/* False: it was turned away. */
static bool take_in(struct door *door, struct wr_scope *scope, struct wr_conn *conn)
{
    struct wr_admit_refusal why;
    struct wr_guest *guest;
    if (wr_admit_connection(door->admit, &conn->peer, &guest, &why)) {
        reject_count(why.reason);
        wr_conn_drop(conn);
        return false;
    }
    struct arrival *arrival = malloc(sizeof(*arrival));
    atomic_fetch_add(&door->connections, 1);
    if (arrival) {
        *arrival = (struct arrival){ .door = door, .guest = guest, .conn = *conn };
        if (!wr_scope_go_kind(scope, door->conf.kind, serve_one, arrival))
            return true;
    }
    reject_count("memory");
    free(arrival);
    wr_conn_drop(conn);
    wr_admit_leave(door->admit, guest);
    atomic_fetch_sub(&door->connections, 1);
    return false;
}

/* Who is turned away comes again at once: nobody else on this worker would have a turn. */
wr_err door_take(struct door *door, struct wr_listener *listener, struct wr_scope *scope)
{
    struct wr_conn conn;
    for (unsigned away = 0;;) {
        wr_err err = wr_accept(listener, &conn, WR_NEVER);
        if (!err && !take_in(door, scope, &conn) && ++away % AWAY_MAX == 0)
            err = wr_yield();
        else if (err == WR_NOFILE || err == WR_NOMEM) {
            reject_count("no_descriptor");          /* or no memory: it waits in line */
            err = wr_sleep(wr_after(NO_DESCRIPTOR_PAUSE));
        }
        if (err)
            return err;
    }
}

wr_err door_serve(struct door *door, struct wr_listener *listener)
{
    struct wr_scope *scope;
    wr_err err = wr_scope_new(&scope, &(struct wr_scope_conf){
        .name = door->conf.name, .deadline = WR_NEVER, .independent = true });
    if (err)
        return err;
    err = door_take(door, listener, scope);
    (void)!wr_scope_close(scope);
    return err;
}

/* ---- on the way out ---- */

void door_linger(struct wr_stream *stream)
{
    char bytes[1024];
    size_t size = 1, sum = 0;
    wr_time until = wr_after(LINGER);
    wr_stream_shut(stream);
    while (sum < LINGER_BYTES && size > 0
           && !wr_stream_read(stream, &size, bytes, sizeof(bytes), until))
        sum += size;
    wr_forget(bytes, sizeof(bytes));
}
