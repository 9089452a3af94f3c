/* index_ask.h - what the verbs of the index are asked with: JSON, read strictly.
 *
 *     OBJ_GET          {"addr":"b3:..."}
 *     INDEX_RESOLVE    {"key":"name:weir.example","fresh":true}       fresh may be absent
 *     INDEX_PROVIDERS  {"cid":"b3:...","limit":5,"region":"eu"}       limit and region may
 *
 *     struct index_ask ask;
 *     const char *clause;
 *     if (index_ask_read(&ask, WR_OAP_OBJ_GET, payload, len, &clause))
 *         return wr_oap_fail(call, WR_INVALID, "%s", clause);
 *
 * A limit is made one of 1 to 32, as by HTTP; all else that is not as above is refused.
 */
#ifndef WR_INDEX_ASK_H
#define WR_INDEX_ASK_H

#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>

#include "svc/index/index_key.h"
#include "svc/index/rank.h"

struct index_ask {
    struct index_key key;               /* of all but INDEX_RESOLVE a content id */
    bool fresh;
    size_t limit;                       /* RANK_LIMIT unless it is said */
    char region[PROVIDER_REGION];       /* empty: any */
};

/* The verb is one of the three.  Errors: INVALID; *ret_clause is a literal, for people. */
wr_err index_ask_read(struct index_ask *ret, uint16_t verb, const void *payload, size_t len,
                      const char **ret_clause);

#endif
