/* dht_set.h - what several proxies know of one thing, united.
 *
 *     struct dht_set set = { .kind = DHT_PROVIDER };
 *     err = dht_set_add(&set, &record);
 *     ...set.records, set.count
 *     dht_set_free(&set);
 *
 * Of each provider one record, the freshest; of a name one in all.  At most DHT_RECORDS_MAX,
 * and then the freshest.  Whatever order they come in, and however often, the set is the same.
 */
#ifndef WR_DHT_DHT_SET_H
#define WR_DHT_DHT_SET_H

#include <stddef.h>

#include <weir/err.h>

#include "dht/dht_record.h"

#define DHT_RECORDS_MAX 64

struct dht_set {
    enum dht_kind kind;
    struct dht_record *records;         /* the freshest first */
    size_t count, room;
};

/* Errors: NOMEM: the set is as it was. */
wr_err dht_set_add(struct dht_set *set, const struct dht_record *record);

/* Twice is fine. */
void dht_set_free(struct dht_set *set);

#endif
