/* net_wire.c - what travels between the ends of a connection.
 *
 * A stream loses nothing but time: what is lost is sent again after a while, and
 * again after twice as long, until the sender gives up.  So loss and partitions are
 * delays here, and only a reset or a give-up is seen by a call.
 */
#include "sim/net.h"

#include <inttypes.h>
#include <stdlib.h>

#define AGAIN_DATA WR_MS(200)   /* after this long the first time, then twice as long */
#define AGAIN_ASK WR_S(1)
#define RARER 2                 /* segments come several to a write */

static const char *const names[] = { [ASK] = "ask", [ACCEPT] = "accept", [REFUSE] = "refuse",
                                     [DATA] = "data", [END] = "end", [RESET] = "reset" };

/* ---- links ---- */

struct link *wr_link_new(void)
{
    struct link *link = calloc(1, sizeof(*link));
    if (!link)
        return NULL;
    struct sim_net *net = &wr_sim_net;
    link->number = ++net->linked;
    link->next = net->links;
    link->at = &net->links;
    if (link->next)
        link->next->at = &link->next;
    net->links = link;
    link->ends[0].link = link->ends[1].link = link;
    wr_decide_link(&wr_sim.decider, link->number, &link->rand);
    return link;
}

void wr_link_unref(struct link *link)
{
    if (--link->refs > 0)
        return;
    if (link->next)
        link->next->at = link->at;
    *link->at = link->next;
    free(link);
}

void wr_end_break(struct end *end, wr_err err)
{
    if (end->broken)
        return;
    end->broken = err;
    wr_waitlist_wake_all(&end->readers, WR_OK);
    wr_waitlist_wake_all(&end->writers, WR_OK);
}

/* ---- the heap of parcels ---- */

static bool before(const struct parcel *a, const struct parcel *b)
{
    return a->at != b->at ? a->at < b->at : a->number < b->number;
}

static void post(struct parcel parcel)
{
    struct sim_net *net = &wr_sim_net;
    if (net->len == net->cap) {
        net->cap = net->cap ? net->cap * 2 : 64;
        net->heap = realloc(net->heap, net->cap * sizeof(*net->heap));
        if (!net->heap)
            wr_fatal(WR_HERE, "out of memory in a simulated network");
    }
    parcel.number = ++net->posted;
    parcel.link->refs++;
    size_t at = net->len++;
    for (; at > 0 && before(&parcel, &net->heap[(at - 1) / 2]); at = (at - 1) / 2)
        net->heap[at] = net->heap[(at - 1) / 2];
    net->heap[at] = parcel;
}

static struct parcel take_first(void)
{
    struct sim_net *net = &wr_sim_net;
    struct parcel first = net->heap[0], last = net->heap[--net->len];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < net->len; at = child) {
        if (child + 1 < net->len && before(&net->heap[child + 1], &net->heap[child]))
            child++;
        if (!before(&net->heap[child], &last))
            break;
        net->heap[at] = net->heap[child];
    }
    net->heap[at] = last;
    return first;
}

wr_time wr_sim_net_next(void)
{
    return wr_sim_net.len > 0 ? wr_sim_net.heap[0].at : WR_NEVER;
}

/* ---- arriving ---- */

static void answer(const struct parcel *parcel, enum packet packet, wr_time now)
{
    struct link *link = parcel->link;
    post((struct parcel){ .at = now + link->latency, .since = now, .link = link,
                          .side = !parcel->side, .packet = (unsigned char)packet });
}

static void again(const struct parcel *parcel, wr_time now)
{
    struct parcel next = *parcel;
    wr_time first = parcel->packet == ASK ? AGAIN_ASK : AGAIN_DATA;
    wr_time give_up = parcel->since + NET_GIVE_UP;
    next.at = parcel->link->dark ? give_up : now + (first << next.tries++);
    if (next.at > give_up)
        next.at = give_up;
    post(next);
}

static void dialed(struct link *link, enum dialing how)
{
    if (link->dialing != DIALING)
        return;
    link->dialing = how;
    wr_waitlist_wake_all(&link->dialer, WR_OK);
}

/* Nothing gets through: it is tried again, or the sender has had enough. */
static void blocked(const struct parcel *parcel, wr_time now)
{
    struct link *link = parcel->link;
    if (parcel->packet == RESET)
        return;
    if (now - parcel->since < NET_GIVE_UP) {
        again(parcel, now);
        return;
    }
    wr_end_break(&link->ends[parcel->side], WR_TIMEOUT);
    dialed(link, REFUSED);
}

static void asked(const struct parcel *parcel, wr_time now)
{
    struct link *link = parcel->link;
    struct sim_listener *listener =
        wr_sim_listener_at(link->ends[1].host, &link->ends[0].stream.peer);
    if (!listener)
        answer(parcel, REFUSE, now);
    else if (listener->count == NET_LINE)
        again(parcel, now);
    else {
        wr_sim_line_up(listener, link);
        answer(parcel, ACCEPT, now);
    }
}

static void arrived(const struct parcel *parcel, wr_time now)
{
    struct link *link = parcel->link;
    struct pipe *pipe = &link->pipes[parcel->side];
    struct end *to = &link->ends[!parcel->side];
    if (to->broken)
        return;
    if (!to->open) {            /* whoever was there does not know of it any more */
        if (parcel->packet != END || parcel->upto > pipe->arrived)
            answer(parcel, RESET, now);
        return;
    }
    if (parcel->upto > pipe->arrived)
        pipe->arrived = parcel->upto;
    if (parcel->packet == END)
        pipe->ended = true;
    wr_waitlist_wake_all(&to->readers, WR_OK);
}

static void deliver(const struct parcel *parcel, wr_time now)
{
    struct link *link = parcel->link;
    struct end *to = &link->ends[!parcel->side];
    if (link->dark || wr_host_cut(link->ends[parcel->side].host, to->host, now)) {
        blocked(parcel, now);
        return;
    }
    wr_trace_format(&wr_sim.trace, "  net %" PRIu64 "%c %s %" PRIu64, link->number,
                    parcel->side ? '<' : '>', names[parcel->packet], parcel->upto);
    switch ((enum packet)parcel->packet) {
    case ASK: asked(parcel, now); break;
    case REFUSE: dialed(link, REFUSED); break;
    case ACCEPT:
        dialed(link, CONNECTED);
        if (!to->open)
            answer(parcel, RESET, now);
        break;
    case RESET: wr_end_break(to, WR_BROKENPIPE); break;
    default: arrived(parcel, now); break;
    }
}

void wr_sim_net_deliver(wr_time now)
{
    struct sim_net *net = &wr_sim_net;
    while (net->len > 0 && net->heap[0].at <= now) {
        struct parcel parcel = take_first();
        deliver(&parcel, now);
        wr_link_unref(parcel.link);
    }
}

/* ---- sending ---- */

/* Some middle of the way has forgotten the connection: each end is told, and what
 * is on its way is overtaken. */
static void reset_both(struct link *link, wr_time now)
{
    for (unsigned side = 0; side < 2; side++)
        post((struct parcel){ .at = now + link->latency / 2, .since = now, .link = link,
                              .side = (unsigned char)side, .packet = RESET });
}

/* The listener is asked a second time, for a connection that nobody wants: when it
 * is accepted, whoever asked does not know of it. */
static void ask_twice(const struct link *link, wr_time now)
{
    struct link *ghost = wr_link_new();
    if (!ghost)
        return;
    for (unsigned side = 0; side < 2; side++) {
        ghost->ends[side].stream = link->ends[side].stream;
        ghost->ends[side].host = link->ends[side].host;
    }
    ghost->latency = 2 * link->latency;
    post((struct parcel){ .at = now + ghost->latency, .since = now, .link = ghost,
                          .packet = ASK });
}

static void slow_down(struct link *link, struct wr_rand *rand)
{
    link->latency = (wr_time)1 << wr_rand_span(rand, 23, 28);   /* 8 to 268 milliseconds */
    link->per_byte = wr_rand_below(rand, 2) ? wr_rand_span(rand, 10, 5000) : 0;
}

static void post_later(struct parcel parcel, wr_time span)
{
    parcel.at += span;
    post(parcel);
}

/* What goes wrong with this parcel; it may have to be sent another way. */
static void go_wrong(struct parcel *parcel, unsigned kinds, wr_time now)
{
    struct link *link = parcel->link;
    struct wr_rand rand;
    switch (wr_fault_net(kinds, RARER, link->number, &rand)) {
    case WR_SIM_LOSS:
        parcel->at += (parcel->packet == ASK ? AGAIN_ASK : AGAIN_DATA)
            * ((1 << wr_rand_span(&rand, 1, 5)) - 1);
        break;
    case WR_SIM_DUPLICATE:
        if (parcel->packet == ASK)
            ask_twice(link, now);
        else
            post_later(*parcel, (wr_time)wr_rand_below(&rand, (uint64_t)WR_MS(300)));
        break;
    case WR_SIM_RESET: reset_both(link, now); break;
    case WR_SIM_HALFOPEN: link->dark = true; break;
    case WR_SIM_PARTITION:
        wr_host_partition(&rand, link->ends[0].host, link->ends[1].host);
        break;
    case WR_SIM_REFUSE:
        if (wr_rand_below(&rand, 2)) {
            parcel->at += AGAIN_ASK;            /* as if the line were full */
        } else {
            parcel->packet = REFUSE;
            parcel->side = 1;
        }
        break;
    case WR_SIM_DELAY: slow_down(link, &rand); break;
    default: break;
    }
}

static unsigned possible_faults(const struct parcel *parcel)
{
    const struct link *link = parcel->link;
    unsigned kinds = 0;
    if (parcel->packet == ASK)
        kinds = WR_SIM_LOSS | WR_SIM_DUPLICATE | WR_SIM_REFUSE | WR_SIM_PARTITION
            | WR_SIM_DELAY;
    else if (parcel->packet == DATA || parcel->packet == END)
        kinds = WR_SIM_LOSS | WR_SIM_DUPLICATE | WR_SIM_RESET | WR_SIM_HALFOPEN
            | WR_SIM_PARTITION | WR_SIM_DELAY;
    if (link->ends[0].host == link->ends[1].host)
        kinds &= ~WR_SIM_PARTITION;
    return link->dark ? 0 : kinds;
}

static void send_parcel(struct parcel parcel, uint64_t bytes)
{
    struct link *link = parcel.link;
    struct pipe *pipe = &link->pipes[parcel.side];
    wr_time now = wr_now();
    parcel.since = now;
    if (link->local) {
        deliver(&parcel, now);
        return;
    }
    wr_time leaves = (pipe->free > now ? pipe->free : now) + (wr_time)bytes * link->per_byte;
    wr_time jitter = (wr_time)wr_rand_below(&link->rand, (uint64_t)link->latency / 2 + 1);
    parcel.at = leaves + link->latency + jitter;
    pipe->free = leaves;
    if (parcel.packet == DATA || parcel.packet == END)
        parcel.at = parcel.at > pipe->last ? parcel.at : pipe->last;
    go_wrong(&parcel, possible_faults(&parcel), now);
    if (parcel.packet == DATA || parcel.packet == END)
        pipe->last = parcel.at;
    post(parcel);
}

void wr_wire_send(struct link *link, unsigned side, enum packet packet)
{
    send_parcel((struct parcel){ .link = link, .side = (unsigned char)side,
                                 .packet = (unsigned char)packet,
                                 .upto = link->pipes[side].sent }, 0);
}

/* Any cut of the stream must do: half of the time all that is left goes as one. */
void wr_wire_send_data(struct link *link, unsigned side, uint64_t from)
{
    uint64_t sent = link->pipes[side].sent;
    while (from < sent && !link->ends[side].broken) {
        uint64_t len = sent - from;
        if (!link->local && wr_rand_below(&link->rand, 2))
            len = 1 + wr_rand_below(&link->rand, len);
        from += len;
        send_parcel((struct parcel){ .link = link, .side = (unsigned char)side,
                                     .packet = DATA, .upto = from }, len);
    }
}
