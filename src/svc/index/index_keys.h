/* index_keys.h - what can be configured of the index. */
#ifndef WR_INDEX_KEYS_H
#define WR_INDEX_KEYS_H

#include "conf/conf.h"

#define INDEX_DEADLINE_MAX WR_S(5)
#define INDEX_TRUSTED_MAX 64
#define INDEX_PROXIES_MAX 15            /* beside that of the node's own dhtnode */

extern const struct wr_conf_table index_keys;

#endif
