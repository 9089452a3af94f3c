/* dhtnode.h - a node of the OpenDHT network as a child of ours, with a proxy on loopback.
 *
 *     struct dhtnode node = { .conf = { .bootstrap = hosts, .bootstrap_count = 2 } };
 *     err = dhtnode_prepare(&node, why, deadline);    chooses a port: node.url from now on
 *     ... a child of the supervisor: dhtnode_run, with &node as its arg
 *     ...node.up, node.peers
 *
 * The program is Debian's dhtnode (GPL; a process of its own, nothing is linked).  It writes
 * no file, and runs in a jail with room and our network (rt/program.h): as nobody, with no
 * file but libraries and what says how names are resolved.  Where no jail can be made none is
 * run: who runs one himself names its proxy to us.
 *
 * Its proxy listens on 127.0.0.1 only.  Its UDP port cannot be kept from other machines, but
 * a node hears only those who name the number of its network.  Without bootstrap nodes and
 * without a number it is a network of its own, whose number is drawn by lot at each start: it
 * knows nobody there, and nobody finds it.  With bootstrap nodes 0 is OpenDHT's public
 * network.  Where all bootstrap nodes are on this machine, all have one address, of which a
 * node would hear 200 requests a second: then that limit is off.
 *
 * The program takes one bootstrap node, so they are taken in turn, one at each start; one
 * that has met nobody for `alone_max` is ended for the sake of the next.  It is asked how it
 * is every `ask_every`; when it has not answered three times in a row it hangs, and is
 * killed.  When it ends, however it does, dhtnode_run ends with an error, and the supervisor
 * starts it again, on the same port.  It is killed with us.
 */
#ifndef WR_DHT_DHTNODE_H
#define WR_DHT_DHTNODE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>
#include <weir/once.h>
#include <weir/time.h>

#define DHTNODE_PATH "/usr/bin/dhtnode"
#define DHTNODE_WHY 300

/* Zero is the default of everything.  Nothing is copied. */
struct dhtnode_conf {
    const char *path;               /* DHTNODE_PATH */
    uint32_t network;               /* see above */
    const char *const *bootstrap;   /* "dht.example:4222" */
    size_t bootstrap_count;
    uint16_t port;                  /* UDP; 0: any, and another one after each start */
    wr_time ask_every;              /* 5 s; an answer has that long, too */
    wr_time up_within;              /* 20 s */
    wr_time alone_max;              /* 30 s */
    void (*say)(void *arg, const char *why);    /* why it has ended, in a sentence; or NULL */
    void *arg;
};

struct dhtnode {
    struct dhtnode_conf conf;
    char url[32];                   /* of its proxy: "http://127.0.0.1:23456" */
    uint16_t proxy_port;
    _Atomic bool up;                /* its proxy answered when it was last asked */
    _Atomic uint32_t peers;         /* nodes that it then knew */
    _Atomic uint64_t starts;
};

/* Look for the program, and for a port for its proxy.  After an error `why` is a sentence.
 * Errors: NOTFOUND (it is not installed), DENIED (it may not be looked at), EXISTS (no port is
 * free), TIMEOUT, CANCELED, BUSY, NOMEM, NOFILE, IO. */
wr_err dhtnode_prepare(struct dhtnode *node, char why[DHTNODE_WHY], wr_time deadline);

/* Run it until `drain` is set; a wr_child_fn (sup.h).
 * Errors: CLOSED (it has ended by itself), TIMEOUT (it does not answer), NOTFOUND (it has met
 * nobody, or is not installed), DENIED (no jail can be made), UNSUPPORTED (in a simulation),
 * CANCELED, BUSY, NOMEM, NOFILE, IO. */
wr_err dhtnode_run(void *node, struct wr_once *drain);

#endif
