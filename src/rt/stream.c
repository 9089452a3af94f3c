/* stream.c - the calls of stream.h, to whichever network is in force. */
#include <weir/stream.h>

#include "rt/net_int.h"

const struct net_ops *wr_net = &wr_net_os;

wr_err (wr_listen)(struct wr_listener **ret, const struct wr_addr *addr, const char *place)
{
    return wr_net->listen(ret, addr, place);
}

wr_err (wr_listen_on)(struct wr_listener **ret, int fd, const char *place)
{
    return wr_net->listen_on(ret, fd, place);
}

const struct wr_addr *wr_listener_addr(const struct wr_listener *listener)
{
    return &listener->addr;
}

void (wr_listener_close)(struct wr_listener *listener, const char *place)
{
    if (listener)
        wr_net->listener_close(listener, place);
}

wr_err (wr_accept)(struct wr_listener *listener, struct wr_conn *ret, wr_time deadline,
                   const char *place)
{
    return wr_net->accept(listener, ret, deadline, place);
}

void wr_conn_drop(struct wr_conn *conn)
{
    wr_net->drop(conn);
}

wr_err (wr_stream_open)(struct wr_stream **ret, const struct wr_conn *conn, const char *place)
{
    return wr_net->open(ret, conn, place);
}

wr_err (wr_connect)(struct wr_stream **ret, const struct wr_addr *addr, wr_time deadline,
                    const char *place)
{
    return wr_net->connect(ret, addr, deadline, place);
}

void (wr_stream_close)(struct wr_stream *stream, const char *place)
{
    if (stream)
        stream->ops->close(stream, place);
}

wr_err (wr_stream_await)(struct wr_stream *stream, wr_time deadline, const char *place)
{
    return stream->ops->await(stream, deadline, place);
}

wr_err (wr_stream_read)(struct wr_stream *stream, size_t *ret, void *buf, size_t size,
                        wr_time deadline, const char *place)
{
    return stream->ops->read(stream, ret, buf, size, deadline, place);
}

wr_err (wr_stream_write)(struct wr_stream *stream, size_t *ret, const struct wr_piece *pieces,
                         size_t count, wr_time deadline, const char *place)
{
    return stream->ops->write(stream, ret, pieces, count, deadline, place);
}

void wr_stream_shut(struct wr_stream *stream)
{
    stream->ops->shut(stream);
}

struct wr_case wr_stream_readable(struct wr_stream *stream)
{
    return stream->ops->readable(stream);
}

const struct wr_addr *wr_stream_peer(const struct wr_stream *stream)
{
    return &stream->peer;
}

const struct wr_addr *wr_stream_local(const struct wr_stream *stream)
{
    return &stream->local;
}

wr_err wr_stream_peer_process(const struct wr_stream *stream, uint32_t *ret_uid,
                              int32_t *ret_pid)
{
    return stream->ops->process(stream, ret_uid, ret_pid);
}
