/* index_meter.h - what operators see of the index, as metrics (docs/index.md).
 *
 *     index_meter_answered(&key, FOUND_DB, wr_now() - began);     a /resolve was answered
 *     index_meter_provided(ranked, count);                        a /providers was
 *     index_meter_refused("resolve");                             index.work was full
 *     index_meter_late("resolve");                                its deadline has come
 *
 * The names are those of the seed and the spec; those of queues and tasks (queue_depth,
 * tasks_spawned_total), of breakers and of retries are kept by what has them.
 */
#ifndef WR_INDEX_METER_H
#define WR_INDEX_METER_H

#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>
#include <weir/time.h>

#include "svc/index/index_key.h"
#include "svc/index/lookup.h"
#include "svc/index/rank.h"

/* From when it was asked until it was answered, whatever by. */
void index_meter_answered(const struct index_key *key, enum found_source source, wr_time took);

/* How many of each class. */
void index_meter_provided(const struct ranked *ranked, size_t count);

/* Of a route, "resolve" or "providers". */
void index_meter_refused(const char *route);
void index_meter_late(const char *route);

/* Something was in the cache (that there is none too), or was not. */
void index_meter_cached(bool hit);

/* Who knows what the caches hold, when the metrics are read.  Must not wait; NULL: nobody. */
void index_meter_size(size_t (*entries)(void));

/* The DHT was asked. */
void index_meter_asked(wr_err err, wr_time took);

/* A set of providers is another than the one that was known. */
void index_meter_changed(void);

/* Bytes that are not what their id says, or a text that cannot be read: "pointer", "object". */
void index_meter_damaged(const char *stage);

/* Caches were emptied, as amnesia wants it: "cache". */
void index_meter_purged(const char *kind);

/* Something we offer was announced, or could not be; what is offered in all. */
void index_meter_announced(wr_err err);
void index_meter_offers(uint64_t count);

#endif
