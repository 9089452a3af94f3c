/* index_ask_fuzz.c - any bytes as what a verb of the index is asked with: an ask in its one
 * form, or a clause.
 *
 * The first byte of an input chooses the verb.  Whatever the rest is: what is taken has a key
 * that reads as itself, a limit of 1 to 32 and a region that ends; an object and providers are
 * asked for by a content id; and the same, written again from what was read, reads as the same.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <weir/oap.h>
#include <weir/panic.h>

#include "svc/index/index_ask.h"

static const uint16_t verbs[] = { WR_OAP_OBJ_GET, WR_OAP_INDEX_RESOLVE,
                                  WR_OAP_INDEX_PROVIDERS };
static const char *const names[] = { "addr", "key", "cid" };

static void check(const struct index_ask *ask, size_t which)
{
    char text[INDEX_KEY_TEXT + 40];
    struct index_key key;
    struct index_ask again;
    const char *clause;
    WR_ASSERT(index_key_read(&key, ask->key.text, &clause) == WR_OK);
    WR_ASSERT(strcmp(key.text, ask->key.text) == 0 && key.is_name == ask->key.is_name);
    WR_ASSERT(which == 1 || !key.is_name);
    WR_ASSERT(ask->limit >= 1 && ask->limit <= RANK_LIMIT_MAX);
    WR_ASSERT(memchr(ask->region, '\0', sizeof(ask->region)));
    int len = snprintf(text, sizeof(text), "{\"%s\":\"%s\"}", names[which], ask->key.text);
    WR_ASSERT(index_ask_read(&again, verbs[which], text, (size_t)len, &clause) == WR_OK);
    WR_ASSERT(strcmp(again.key.text, key.text) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct index_ask ask;
    const char *clause = NULL;
    if (size < 1)
        return -1;
    size_t which = data[0] % 3;
    wr_err err = index_ask_read(&ask, verbs[which], data + 1, size - 1, &clause);
    if (err)
        WR_ASSERT(err == WR_INVALID && clause && *clause);
    else
        check(&ask, which);
    return 0;
}
