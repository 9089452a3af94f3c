/* node_keys.h - what can be configured of the node itself. */
#ifndef WR_CONF_NODE_KEYS_H
#define WR_CONF_NODE_KEYS_H

#include "conf/conf.h"

#define WR_NODE_WORKERS_MAX 256
#define WR_NODE_UIDS_MAX 63         /* of uds.allow_uids */

/* The rows, and what must hold between them: files of TLS and tokens are there and only
 * their owner can read them, no two listeners have one address, the folder of the Unix
 * socket is its owner's alone, amnesia has no persistent data, and there are no more
 * workers than can be. */
extern const struct wr_conf_table wr_node_keys;

#endif
