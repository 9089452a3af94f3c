/* net_int.h - the seam to the network: what a stream and a listener are made of.
 *
 * The real network (socket.c) and the simulated one each have a table; the
 * calls of stream.h go through it.
 */
#ifndef WR_RT_NET_INT_H
#define WR_RT_NET_INT_H

#include <weir/stream.h>

struct stream_ops {
    wr_err (*await)(struct wr_stream *stream, wr_time deadline, const char *place);
    wr_err (*read)(struct wr_stream *stream, size_t *ret, void *buf, size_t size,
                   wr_time deadline, const char *place);
    wr_err (*write)(struct wr_stream *stream, size_t *ret, const struct wr_piece *pieces,
                    size_t count, wr_time deadline, const char *place);
    void (*shut)(struct wr_stream *stream);
    void (*close)(struct wr_stream *stream, const char *place);
    struct wr_case (*readable)(struct wr_stream *stream);
    wr_err (*process)(const struct wr_stream *stream, uint32_t *ret_uid, int32_t *ret_pid);
};

/* The first member of each kind of stream. */
struct wr_stream {
    const struct stream_ops *ops;
    struct wr_addr peer, local;
};

struct wr_listener { struct wr_addr addr; };

struct net_ops {
    wr_err (*listen)(struct wr_listener **ret, const struct wr_addr *addr, const char *place);
    wr_err (*listen_on)(struct wr_listener **ret, int fd, const char *place);
    void (*listener_close)(struct wr_listener *listener, const char *place);
    wr_err (*accept)(struct wr_listener *listener, struct wr_conn *ret, wr_time deadline,
                     const char *place);
    void (*drop)(struct wr_conn *conn);
    wr_err (*open)(struct wr_stream **ret, const struct wr_conn *conn, const char *place);
    wr_err (*connect)(struct wr_stream **ret, const struct wr_addr *addr, wr_time deadline,
                      const char *place);
};

/* The network in force; the real one from the start.  Only a driver changes it,
 * before the first and after the last fiber. */
extern const struct net_ops *wr_net;
extern const struct net_ops wr_net_os;

#endif
