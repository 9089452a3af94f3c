/* object_desk.h - where objects are handed out: by OAP/1 to other nodes, by HTTP to people.
 *
 *     struct object_desk desk = { 0 };                         part of the service
 *     object_verbs(verbs, &desk);          OBJECT_VERBS rows   (object_verb.h)
 *     object_routes(routes, &desk);        OBJECT_ROUTES rows  (object_route.h)
 *     child = { .name = "index.objects", .run = object_desk_run, .arg = &desk };
 *     ...
 *     err = object_desk_open(&desk, &conf);                    when the service is opened
 *     object_desk_close(&desk);                                ... and closed
 *
 * Calls of OAP that wait for others are run here and not by the node's workers.
 *
 * Objects: anybody may ask for one, and takes it as slowly as he likes.  So they need no unit
 * of the mailbox and have places of their own: OBJECT_SHARE for each who asks (net/caller.h;
 * one more is 429), OBJECT_WAITING that wait (index.gets; one more is 429), and OBJECT_SERVERS
 * tasks that run them, each with one object in its memory.  One address has half of these at
 * most.
 *
 * Lookups are let in by the mailbox, of which nobody has more than 32: LOOKUP_SERVERS run them,
 * LOOKUP_WAITING wait (index.verbs).  Whoever takes objects, they are not kept from it.
 *
 * In a drain what was taken is answered to its end, and then the book is written.
 */
#ifndef WR_INDEX_OBJECT_DESK_H
#define WR_INDEX_OBJECT_DESK_H

#include <weir/chan.h>
#include <weir/once.h>

#include "svc/index/index_key.h"
#include "svc/index/object.h"

struct index_desk;                      /* index_desk.h */
struct roster;                          /* flow/roster.h */

#define OBJECT_SERVERS 16
#define OBJECT_SHARE 8
#define OBJECT_WAITING 64
#define LOOKUP_SERVERS 64
#define LOOKUP_WAITING 64

/* Everything must outlive the desk. */
struct object_desk_conf {
    struct store *store;
    const char *self;                   /* who we are: 64 hex digits */
    /* object.h */
    wr_err (*find)(void *arg, const struct wr_hash *cid, struct provider *ret, size_t max,
                   size_t *ret_count, wr_time deadline);
    /* Offer it to others, now and from now on (announcer.h).  NULL: it is listed in the
     * catalog, and who looks there announces it. */
    wr_err (*offer)(void *arg, const struct index_key *key, wr_time deadline);
    void *arg;                          /* of both */
    struct index_desk *index;           /* for lookups (lookup_verb.h); NULL: there are none */
    bool internal;                      /* object.h */
};

/* Fields are for the files of the desk; all zero while it is closed. */
struct object_desk {
    struct object_desk_conf conf;
    struct object *object;
    struct book *book;
    struct latencies *latencies;        /* for rank_rule: latency_of, with this as its arg */
    struct roster *getters;             /* who has objects on their way to him */
    struct wr_chan *gets, *lookups;     /* calls */
};

/* Errors: NOMEM. */
wr_err object_desk_open(struct object_desk *desk, const struct object_desk_conf *conf);

/* Nobody can call any more.  What was counted last is written; waits for that a moment.  One
 * that is closed is fine. */
void object_desk_close(struct object_desk *desk);

/* A child of the node (sup.h). */
wr_err object_desk_run(void *desk, struct wr_once *drain);

/* node_verb.enter and leave, for objects. */
wr_err object_desk_enter(void *desk, struct wr_oap_call *call);
void object_desk_leave(void *desk, struct wr_oap_call *call);

/* node_verb.submit, for objects and for lookups. */
wr_err object_desk_submit(void *desk, struct wr_oap_call *call);
wr_err object_desk_look_up(void *desk, struct wr_oap_call *call);

#endif
