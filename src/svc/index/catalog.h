/* catalog.h - what this node knows of itself, in its store: names, manifests, pins, offers.
 *
 *     struct catalog_pointer pointer;
 *     char why[CATALOG_WHY];
 *     err = catalog_pointer_read(&pointer, CATALOG_SITE, "weir.example", body, len, wr_wall(),
 *                                why);
 *     err = catalog_put(store, &pointer, deadline);
 *     ...
 *     err = catalog_get(store, CATALOG_SITE, "weir.example", &pointer, deadline);
 *     ...pointer.manifest
 *
 *     err = catalog_pin(store, "b3:...", deadline);
 *     err = catalog_offer(store, "name:weir.example", deadline);   announced from now on
 *
 * A pointer says of a site (by its name) or of an asset (by its content id) where its manifest
 * is, and perhaps whose it is.  Outside it is JSON:
 *
 *     {"asset_cid":"b3:...","asset_kind":"image","manifest_cid":"b3:...",
 *      "owner_passport_subject":"...","owner_wallet_account":"...",
 *      "updated_at_ms":1,"version":1}
 *
 * a site has "name" instead of the first two.  It is read strictly and written in one way:
 * keys in order, no blanks, what is not known left out.  Owners are what somebody said: they
 * unlock nothing.
 *
 * Over store/pointer.h: the spaces are "site", "asset", "pin" and "offer".  Keys are canonical
 * (index_key.h): names bare, content ids whole; of offers the whole text of the key.
 */
#ifndef WR_INDEX_CATALOG_H
#define WR_INDEX_CATALOG_H

#include <weir/err.h>
#include <weir/time.h>

#include "base/hash.h"
#include "base/text.h"
#include "store/pointer.h"

#define CATALOG_KEY 254                 /* a name, or a content id, and a zero byte */
#define CATALOG_OWNER 513
#define CATALOG_JSON_MAX (8 << 10)
#define CATALOG_WHY 240

enum catalog_kind { CATALOG_SITE, CATALOG_ASSET };

struct catalog_pointer {
    enum catalog_kind kind;
    char key[CATALOG_KEY];
    const char *asset_kind;             /* of an asset: one of catalog_asset_kinds */
    struct wr_hash manifest;
    char passport[CATALOG_OWNER], wallet[CATALOG_OWNER];    /* empty: not known */
    uint64_t updated_at_ms;             /* since 1970 */
};

#define CATALOG_ASSET_KINDS 13
extern const char *const catalog_asset_kinds[CATALOG_ASSET_KINDS];      /* "image", ... */

/* What somebody sent for this key.  updated_at_ms is `now` where it is not said; content ids
 * may be bare, kinds in capitals, and blanks around texts are dropped.  Errors: INVALID, with
 * a sentence in `why`, which has CATALOG_WHY bytes. */
wr_err catalog_pointer_read(struct catalog_pointer *ret, enum catalog_kind kind,
                            const char *key, const void *json, size_t len, struct wr_wall now,
                            char *why);

/* The JSON of it. */
void catalog_pointer_write(struct wr_text *text, const struct catalog_pointer *pointer);

/* In place of what there was.  Errors: those of store_do. */
wr_err catalog_put(struct store *store, const struct catalog_pointer *pointer,
                   wr_time deadline);

/* Errors: NOTFOUND; QUARANTINE (what is there cannot be read); those of store_do. */
wr_err catalog_get(struct store *store, enum catalog_kind kind, const char *key,
                   struct catalog_pointer *ret, wr_time deadline);

/* Pin a content id, or no longer; twice is fine.  Which there are: in their order, after this
 * one (NULL: from the first), each store_pointer_at(ret, i).name; store_pointers_free(ret);
 * how many.  Whether it is: WR_OK, or NOTFOUND. */
wr_err catalog_pin(struct store *store, const char *cid, wr_time deadline);
wr_err catalog_unpin(struct store *store, const char *cid, wr_time deadline);
wr_err catalog_pins(struct store *store, const char *after, size_t max,
                    struct store_pointers *ret, wr_time deadline);
wr_err catalog_pin_count(struct store *store, uint64_t *ret, wr_time deadline);

wr_err catalog_is_pinned(struct store *store, const char *cid, wr_time deadline);

/* Offer a key to others, or no longer (announcer.h); which; how many. */
wr_err catalog_offer(struct store *store, const char *key, wr_time deadline);
wr_err catalog_withdraw(struct store *store, const char *key, wr_time deadline);
wr_err catalog_is_offered(struct store *store, const char *key, wr_time deadline);
wr_err catalog_offers(struct store *store, const char *after, size_t max,
                      struct store_pointers *ret, wr_time deadline);
wr_err catalog_offer_count(struct store *store, uint64_t *ret, wr_time deadline);

#endif
