/* socket.c - streams over sockets: the real network. */
#include <stdlib.h>

#include <weir/metric.h>

#include "rt/fd_int.h"
#include "rt/net_int.h"
#include "rt/os.h"

struct socket_stream {
    struct wr_stream stream;
    struct wr_fd *fd;
};

struct socket_listener {
    struct wr_listener listener;
    struct wr_fd *fd;
    bool unlink;                    /* its socket file goes with it */
};

/* ---- what goes through ---- */

static struct wr_metric bytes_metric = {
    .name = "io_bytes_total", .help = "Bytes over the sockets of this process.",
    .type = WR_COUNTER, .labels = { "op" }, .series_max = 2,
};

/* Looked up once: the handles are good for ever. */
static struct wr_counter *bytes_of(bool written)
{
    static _Atomic(struct wr_counter *) handles[2];
    struct wr_counter *handle = atomic_load_explicit(&handles[written], memory_order_relaxed);
    if (!handle) {
        handle = wr_metric_counter(&bytes_metric, written ? "write" : "read");
        atomic_store_explicit(&handles[written], handle, memory_order_relaxed);
    }
    return handle;
}

struct wr_stream_bytes wr_stream_bytes(void)
{
    return (struct wr_stream_bytes){ .in = wr_counter_get(bytes_of(false)),
                                     .out = wr_counter_get(bytes_of(true)) };
}

/* ---- streams ---- */

static struct wr_fd *fd_of(const struct wr_stream *stream)
{
    return ((const struct socket_stream *)stream)->fd;
}

static wr_err socket_await(struct wr_stream *stream, wr_time deadline, const char *place)
{
    return wr_fd_await(fd_of(stream), WR_READABLE, deadline, place);
}

static wr_err socket_read(struct wr_stream *stream, size_t *ret, void *buf, size_t size,
                          wr_time deadline, const char *place)
{
    wr_err err = (wr_fd_read)(fd_of(stream), ret, buf, size, deadline, place);
    if (!err)
        wr_counter_add(bytes_of(false), *ret);
    return err;
}

static wr_err socket_write(struct wr_stream *stream, size_t *ret, const struct wr_piece *pieces,
                           size_t count, wr_time deadline, const char *place)
{
    wr_err err = (wr_fd_write_pieces)(fd_of(stream), ret, pieces, count, deadline, place);
    wr_counter_add(bytes_of(true), *ret);
    return err;
}

static void socket_shut(struct wr_stream *stream)
{
    wr_os_socket_shut(wr_fd_number(fd_of(stream)));
}

static void socket_close(struct wr_stream *stream, const char *place)
{
    (wr_fd_close)(fd_of(stream), place);
    free(stream);
}

static struct wr_case socket_readable(struct wr_stream *stream)
{
    return (struct wr_case)WR_CASE_FD(fd_of(stream), WR_READABLE);
}

static wr_err socket_process(const struct wr_stream *stream, uint32_t *ret_uid,
                             int32_t *ret_pid)
{
    if (stream->peer.kind != WR_ADDR_UNIX)
        return WR_UNSUPPORTED;
    return wr_os_socket_process(wr_fd_number(fd_of(stream)), ret_uid, ret_pid);
}

static const struct stream_ops socket_ops = {
    .await = socket_await, .read = socket_read, .write = socket_write, .shut = socket_shut,
    .close = socket_close, .readable = socket_readable, .process = socket_process,
};

/* Takes the descriptor over, or closes it. */
static wr_err stream_over(struct socket_stream **ret, int number, const struct wr_addr *peer,
                          const char *place)
{
    struct socket_stream *made = calloc(1, sizeof(*made));
    wr_err err = made ? (wr_fd_open)(&made->fd, number, place) : WR_NOMEM;
    if (err) {
        wr_os_socket_reset(number);
        free(made);
        return err;
    }
    wr_fd_is_stream(made->fd);
    made->stream.ops = &socket_ops;
    made->stream.peer = *peer;
    *ret = made;
    return WR_OK;
}

static void settle(struct socket_stream *made)
{
    int number = wr_fd_number(made->fd);
    wr_os_socket_tune(number, &made->stream.peer);
    if (wr_os_socket_local(number, &made->stream.local))
        made->stream.local = (struct wr_addr){ 0 };
}

static wr_err socket_open(struct wr_stream **ret, const struct wr_conn *conn, const char *place)
{
    struct socket_stream *made;
    wr_err err = stream_over(&made, conn->fd, &conn->peer, place);
    if (err)
        return err;
    settle(made);
    *ret = &made->stream;
    return WR_OK;
}

static void socket_drop(struct wr_conn *conn)
{
    wr_os_socket_reset(conn->fd);
}

static wr_err socket_connect(struct wr_stream **ret, const struct wr_addr *addr,
                             wr_time deadline, const char *place)
{
    int number;
    struct socket_stream *made;
    wr_err begun = wr_os_connect(&number, addr);
    if (begun && begun != WR_BUSY)
        return begun;
    wr_err err = stream_over(&made, number, addr, place);
    if (err)
        return err;
    if (begun == WR_BUSY) {
        err = (wr_fd_wait)(made->fd, WR_WRITABLE, deadline, place);
        if (!err)
            err = wr_os_connected(number);
    }
    if (err) {
        socket_close(&made->stream, place);
        return err;
    }
    settle(made);
    *ret = &made->stream;
    return WR_OK;
}

/* ---- listeners ---- */

static wr_err listener_over(struct wr_listener **ret, int number, bool unlink,
                            const char *place)
{
    struct socket_listener *made = calloc(1, sizeof(*made));
    wr_err err = made ? (wr_fd_open)(&made->fd, number, place) : WR_NOMEM;
    if (err) {
        wr_os_fd_close(number);
        free(made);
        return err;
    }
    made->unlink = unlink;
    if (wr_os_socket_local(number, &made->listener.addr))
        made->listener.addr = (struct wr_addr){ 0 };
    *ret = &made->listener;
    return WR_OK;
}

static wr_err socket_listen(struct wr_listener **ret, const struct wr_addr *addr,
                            const char *place)
{
    int number;
    wr_err err = wr_os_listen(&number, addr);
    return err ? err : listener_over(ret, number, addr->kind == WR_ADDR_UNIX, place);
}

static wr_err socket_listen_on(struct wr_listener **ret, int number, const char *place)
{
    wr_err err = wr_os_listening(number);
    return err ? err : listener_over(ret, number, false, place);
}

static void socket_listener_close(struct wr_listener *listener, const char *place)
{
    struct socket_listener *self = (struct socket_listener *)listener;
    if (self->unlink)
        wr_os_unlink(listener->addr.path);
    (wr_fd_close)(self->fd, place);
    free(self);
}

static wr_err try_accept(int number, void *arg)
{
    struct wr_conn *conn = arg;
    return wr_os_accept(number, &conn->fd, &conn->peer);
}

static wr_err socket_accept(struct wr_listener *listener, struct wr_conn *ret, wr_time deadline,
                            const char *place)
{
    struct socket_listener *self = (struct socket_listener *)listener;
    wr_fd_move_here(self->fd);      /* who opens it need not be who takes from it */
    return wr_fd_attempt(self->fd, WR_READABLE, try_accept, ret, deadline, place);
}

const struct net_ops wr_net_os = {
    .listen = socket_listen, .listen_on = socket_listen_on,
    .listener_close = socket_listener_close, .accept = socket_accept, .drop = socket_drop,
    .open = socket_open, .connect = socket_connect,
};
