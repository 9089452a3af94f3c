/* keys.h - what can be configured of checking references. */
#ifndef WR_CHECK_KEYS_H
#define WR_CHECK_KEYS_H

#include "conf/conf.h"

extern const struct wr_conf_table check_keys;

#endif
