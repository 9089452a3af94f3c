/* reward.h - reward runs, what they want paid, and the ledger that paid it.
 *
 *     err = store_run_open(store, run_key, epoch, deadline);
 *     ...compute...
 *     err = store_run_seal(store, run_key, STORE_RUN_OK, manifest, intents_json, deadline);
 *     err = store_intent_list(store, run_key, 100, &intents, deadline);
 *     for each: send it with its key; store_intent_done(store, key, receipt, deadline)
 *
 * A run has a key and belongs to an epoch; an epoch has one run that is not over.  Sealing
 * puts the manifest and all intents there at once, or nothing; a sealed run never changes.
 *
 * An intent has a key of its own.  A process that dies between sending one and noting it finds
 * it in the list again, and sends it with the same key: who pays must know keys, as the ledger
 * here does, where a key is entered once.
 *
 * Amounts are decimal text: they have up to 128 bits.
 */
#ifndef WR_STORE_REWARD_H
#define WR_STORE_REWARD_H

#include "store/store.h"
#include "store/verb.h"

#define STORE_RUN_MANIFEST_MAX (8 << 20)
#define STORE_INTENT_LIST_MAX 1000

enum store_run_state {
    STORE_RUN_OPEN = 1, STORE_RUN_OK, STORE_RUN_QUARANTINED, STORE_RUN_FAILED,
};

struct store_run {
    enum store_run_state state;
    const char *epoch, *manifest;   /* manifest: NULL while it is open */
    struct store_rows rows;
};

struct store_intent { const char *key, *to, *amount; };
struct store_intents { size_t count; struct store_rows rows; };

/* Errors: EXISTS (this run is there, whatever its state: look at it), BUSY (the epoch has
 * another run that is not over). */
wr_err store_run_open(struct store *store, const char *key, const char *epoch,
                      wr_time deadline);

/* Errors: NOTFOUND. */
wr_err store_run_get(struct store *store, const char *key, struct store_run *ret,
                     wr_time deadline);
void store_run_free(struct store_run *run);

/* It came to this.  `intents` is a JSON array of {"key","to","amount"}, texts all; NULL: none.
 * Errors: NOTFOUND (it is not open), EXISTS (an intent's key is taken), INVALID (too
 * long, or not such an array). */
wr_err store_run_seal(struct store *store, const char *key, enum store_run_state state,
                      const char *manifest, const char *intents, wr_time deadline);

/* Up to `max` intents of a run that are not done, in the order in which they were given. */
wr_err store_intent_list(struct store *store, const char *run, size_t max,
                         struct store_intents *ret, wr_time deadline);
struct store_intent store_intent_at(const struct store_intents *intents, size_t i);
void store_intents_free(struct store_intents *intents);

/* It was taken, with this receipt.  Errors: NOTFOUND (there is none that is not done). */
wr_err store_intent_done(struct store *store, const char *key, const char *receipt,
                         wr_time deadline);

/* Enter a payment into the ledger, once for its key.  Errors: EXISTS. */
wr_err store_ledger_add(struct store *store, const struct store_intent *intent,
                        wr_time deadline);

#endif
