/* node_keys.h - what can be configured of the node itself. */
#ifndef WR_CONF_NODE_KEYS_H
#define WR_CONF_NODE_KEYS_H

#include "conf/conf.h"

#define WR_NODE_WORKERS_MAX 256
#define WR_NODE_UIDS_MAX 63         /* of uds.allow_uids */
#define WR_NODE_STORE_MAX 700       /* bytes of a store.url that is a file */

/* Of an http_addr that others can reach, where there is neither. */
#define WR_NODE_UNGUARDED \
    "it can be reached from elsewhere, and nobody could show a token: make a key (weir " \
    "token mint --new-key --key weir.key --scope node.read) and name it (--auth-key-path " \
    "weir.key), or set WEIR_ADMIN_TOKEN"

/* The rows, and what must hold between them: files of TLS and tokens are there and only
 * their owner can read them, no two listeners have one address, the folder of the Unix
 * socket is its owner's alone, amnesia has no persistent data, the store's url has a form
 * that is known and no password in it, there are no more workers than can be, and who can be
 * reached from elsewhere has a key or a token. */
extern const struct wr_conf_table wr_node_keys;

#endif
