/* queue_keys.h - what can be configured of the queue. */
#ifndef WR_QUEUE_KEYS_H
#define WR_QUEUE_KEYS_H

#include "conf/conf.h"
#include "svc/queue/job_kind.h"

extern const struct wr_conf_table queue_keys;

/* How many jobs at a time, by slot. */
void queue_keys_limits(const struct wr_conf *conf, unsigned ret[QUEUE_SLOTS]);

#endif
