/* net.h - the simulated network, for the files it is made of.
 *
 * A connection is a link with two ends, and in each direction a pipe: a ring of
 * bytes with three counts that only grow.  What was written is in the ring at
 * once; a segment that travels is no more than a moment and a count: when it
 * arrives, the bytes up to that count may be read.  So bytes keep their order
 * whatever happens to segments, one that arrives twice changes nothing, and one
 * that is late holds up those behind it.
 *
 * Nothing here is a task.  What travels is in a heap, by moment; the scheduler's
 * loop delivers it between two steps, and the clock jumps to it when no task can
 * run.  How long each segment takes, where a write is cut into segments, and what
 * goes wrong comes from the seed.
 *
 * net.c has the calls of stream.h, net_wire.c what travels, net_host.c who is where
 * and who can reach whom.
 */
#ifndef WR_SIM_NET_H
#define WR_SIM_NET_H

#include "rt/net_int.h"
#include "rt/wait_int.h"
#include "sim/sim_int.h"

#define NET_WINDOW 65536u       /* bytes written and not yet read, per direction */
#define NET_LINE 128            /* connections that wait to be accepted, per listener */
#define NET_HOSTS 16
#define NET_GIVE_UP WR_S(60)    /* a sender that gets nothing through is told */

struct pipe {
    uint64_t sent, arrived, taken;
    bool shut;                  /* nothing more will be sent, */
    bool ended;                 /* and the reader knows */
    wr_time free;               /* when the line has sent what was given to it */
    wr_time last;               /* when the last of it arrives: nothing overtakes */
    unsigned char ring[NET_WINDOW];
};

struct end {
    struct wr_stream stream;
    struct link *link;
    bool open;                  /* somebody has it, or it waits to be accepted */
    wr_err broken;              /* what every call returns from now on */
    struct waitlist readers, writers;
    const char *place;          /* where it was opened */
    unsigned host;
};

enum dialing { DIALING, CONNECTED, REFUSED };

struct link {
    struct link *next, **at;    /* among all links */
    struct link *behind;        /* in a listener's line */
    uint64_t number;
    unsigned refs;              /* open ends, and what travels */
    enum dialing dialing;
    struct waitlist dialer;
    bool dark;                  /* nothing gets through any more, and nobody is told */
    bool local;                 /* a Unix socket: at once, and nothing goes wrong */
    wr_time latency, per_byte;
    struct wr_rand rand;
    struct end ends[2];         /* the first has connected */
    struct pipe pipes[2];       /* pipes[i] leads from ends[i] to the other */
};

struct sim_listener {
    struct wr_listener listener;
    struct sim_listener *next, **at;
    unsigned host;
    struct link *line, **line_end;
    unsigned count;
    struct waitlist acceptors;
    const char *place;
};

/* What travels.  ASK and the answer to it open a connection. */
enum packet { ASK, ACCEPT, REFUSE, DATA, END, RESET };

struct parcel {
    wr_time at;
    uint64_t number;            /* what was sent first comes first */
    struct link *link;
    uint64_t upto;              /* DATA, END */
    wr_time since;              /* when it was sent */
    unsigned char side;         /* the end that sent it */
    unsigned char packet;
    unsigned char tries;
};

struct sim_net {
    struct spin lock;           /* one thread: for the form of waits only */
    struct link *links;
    struct sim_listener *listeners;
    uint64_t linked, posted;
    uint16_t port;
    struct parcel *heap;
    size_t len, cap;

    struct place *places;       /* hosts in progress (net_host.c) */
    unsigned hosts;
    struct wr_addr addrs[NET_HOSTS];
    wr_time cut[NET_HOSTS][NET_HOSTS];      /* from, to: until when */
};

extern struct sim_net wr_sim_net;
extern const struct net_ops wr_net_sim;

/* ---- for sim.c ---- */

void wr_sim_net_begin(void);

/* Deliver what has arrived by now. */
void wr_sim_net_deliver(wr_time now);

/* When the next parcel arrives. */
wr_time wr_sim_net_next(void);

/* Free everything; where the first thing was opened that was not closed, or NULL. */
const char *wr_sim_net_end(void);

/* ---- net.c: what a parcel does where it arrives ---- */

/* The listener there; NULL: nobody listens. */
struct sim_listener *wr_sim_listener_at(unsigned host, const struct wr_addr *addr);

/* The connection waits to be accepted. */
void wr_sim_line_up(struct sim_listener *listener, struct link *link);

/* ---- net_wire.c ---- */

struct link *wr_link_new(void);
void wr_link_unref(struct link *link);

/* Send something from that end; what goes wrong with it is decided here. */
void wr_wire_send(struct link *link, unsigned side, enum packet packet);

/* Send the bytes up to pipe->sent, cut into segments. */
void wr_wire_send_data(struct link *link, unsigned side, uint64_t from);

/* Calls on this end fail from now on. */
void wr_end_break(struct end *end, wr_err err);

/* ---- net_host.c ---- */

/* The host of the calling task. */
unsigned wr_host_here(void);

/* Which host has this address, seen from that one; NET_HOSTS: none. */
unsigned wr_host_of(const struct wr_addr *addr, unsigned from);

/* The address of a host by which it reaches this one. */
struct wr_addr wr_host_addr(unsigned host, const struct wr_addr *to);

/* Whether nothing gets from one to the other. */
bool wr_host_cut(unsigned from, unsigned to, wr_time now);

/* Cut the hosts into two parts, these two apart, for a while. */
void wr_host_partition(struct wr_rand *rand, unsigned one, unsigned other);

#endif
