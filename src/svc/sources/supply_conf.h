/* supply_conf.h - the sources as the configuration has them.
 *
 *     struct supply_conf supply;
 *     supply_conf_read(&supply, conf);
 *     supply.sources.cache = cache;
 *     err = sources_open(&sources, &supply.sources);
 */
#ifndef WR_SVC_SUPPLY_CONF_H
#define WR_SVC_SUPPLY_CONF_H

#include "conf/conf.h"
#include "source/sources.h"

/* It points into itself and must stay where it is. */
struct supply_conf {
    struct sources_conf sources;
    struct wr_fetch_range loopback[2];      /* where a base of ours may be */
};

/* Read the keys (supply_keys.h).  What they say is not copied: the configuration must outlive
 * the sources. */
void supply_conf_read(struct supply_conf *ret, const struct wr_conf *conf);

#endif
