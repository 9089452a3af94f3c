/* domain_rule.h - domains that a person wants left alone, or wants in spite of all.
 *
 *     err = store_domain_rule_set(store, id, "*.example.org", STORE_DOMAIN_BLOCK, reason,
 *                                 deadline);
 *     err = store_domain_rule_find(store, "www.example.org", &rule, deadline);
 *
 * A pattern is the name of a host, or *. and a name: every host below it, not the name itself.
 * The rule for the name itself comes first, then the longest pattern.  A pattern has one rule:
 * a new one replaces it.
 */
#ifndef WR_STORE_DOMAIN_RULE_H
#define WR_STORE_DOMAIN_RULE_H

#include <stdbool.h>

#include "store/store.h"

#define STORE_DOMAIN_MAX 253
#define STORE_DOMAIN_REASON_MAX 2048

enum store_domain_rule { STORE_DOMAIN_NONE, STORE_DOMAIN_BLOCK, STORE_DOMAIN_UNBLOCK };

/* Whether it is a pattern, and not one that most of the web would match: a star stands in front
 * and has two names or more behind it, and they are not such as co.jp, under which strangers
 * have their names. */
bool store_domain_pattern(const char *pattern);

/* Errors: INVALID (no pattern, too long a reason). */
wr_err store_domain_rule_set(struct store *store, const char *id, const char *pattern,
                             enum store_domain_rule rule, const char *reason,
                             wr_time deadline);

/* Errors: NOTFOUND (there is no rule for this very pattern). */
wr_err store_domain_rule_clear(struct store *store, const char *pattern, wr_time deadline);

/* Which rule a host is under. */
wr_err store_domain_rule_find(struct store *store, const char *host,
                              enum store_domain_rule *ret, wr_time deadline);

/* All rules, by their patterns, up to STORE_DOMAIN_LIST_MAX.  Free the rows: pattern, "block"
 * or "unblock", reason. */
#define STORE_DOMAIN_LIST_MAX 100
struct store_rows;
wr_err store_domain_rule_list(struct store *store, struct store_rows *ret, wr_time deadline);

#endif
