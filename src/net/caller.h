/* caller.h - who asks: whose share a call counts for, and by which right it came in.
 *
 *     const struct caller *caller = caller_of(call);
 *     err = facet_enter(..., &(struct facet_ask){ .tenant = caller->share, ... });
 *
 * The one place that says so, for quotas, facets and the mailbox.  A tenant is believed of a
 * token that is bound to it (token.h) and of nothing else: X-Tenant, or the tenant of a frame,
 * is what anybody says, and who made up names would have a share with each.  Everybody else is
 * his address.  An IPv6 address is its /64, as in admit.h; who comes by a Unix socket is the
 * owner of this machine, and one.
 *
 * Who lets calls in (http.h, oap.h: `admit`, `auth`) fills it in.  Where nobody has, it is the
 * address.
 */
#ifndef WR_NET_CALLER_H
#define WR_NET_CALLER_H

#include <stdbool.h>

#include <weir/addr.h>
#include <weir/http.h>
#include <weir/oap.h>

#include "base/token.h"

#define CALLER_SHARE_MAX 80
#define CALLER_TOKEN_MAX (2 * WR_TOKEN_ID_SIZE + 1)
#define CALLER_LOCAL "local"            /* the share of who needs no address */

struct caller {
    char share[CALLER_SHARE_MAX];       /* "tenant:" and a hash; "ip:192.0.2.1:0"; "local" */
    char token[CALLER_TOKEN_MAX];       /* the id of his token; "admin"; empty: he has none */
    /* What the token allows, each with '\n' behind it; NULL: everything.  Goes with the
     * call. */
    const char *scopes;
};

/* To be filled in.  NULL: there is no memory. */
struct caller *caller_make(struct wr_call *call);
struct caller *caller_make_oap(struct wr_oap_call *call);

/* As it was filled in.  Without memory all are one. */
const struct caller *caller_of(struct wr_call *call);
const struct caller *caller_of_oap(struct wr_oap_call *call);

/* Whose share it is. */
void caller_at(struct caller *caller, const struct wr_addr *peer);
void caller_for(struct caller *caller, const char *tenant);

/* He has come with the token of this verdict, asking for this tenant (NULL: none). */
void caller_has(struct caller *caller, const struct wr_token_verdict *verdict,
                const char *tenant);

/* Whether he may do this, too. */
bool caller_may(const struct caller *caller, const char *scope);

#endif
