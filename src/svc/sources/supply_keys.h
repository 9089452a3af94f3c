/* supply_keys.h - what can be configured of sources.
 *
 * The keys are called check.*, because checking came first; whoever asks a source asks it as
 * they say.
 */
#ifndef WR_SVC_SUPPLY_KEYS_H
#define WR_SVC_SUPPLY_KEYS_H

#include "conf/conf.h"

extern const struct wr_conf_table supply_keys;

#endif
