/* fragment_scope.h - which fragments may be asked about a claim, as a part of statements. */
#ifndef WR_STORE_FRAGMENT_SCOPE_H
#define WR_STORE_FRAGMENT_SCOPE_H

/* Fragment f may speak for or against the claim in this parameter ("?3", null: any): nobody
 * has judged it before, and it is not from a domain that the claim has its origin in.  Both are
 * lists that are made once and looked up: `exists` would go through all judgements of the claim
 * for each fragment.  A parameter that may be null needs a type on the server. */
#define STORE_FRAGMENT_MAY_JUDGE(claim) \
    "(cast(" claim " as text) is null or (f.id not in (select e.source_id from edges e" \
    "   where e.target_id = " claim " and e.target_type = 'claim'" \
    "   and e.source_type = 'fragment')" \
    "  and not exists (select 1 from pages here where here.id = f.page_id" \
    "   and here.domain in (select o.domain from edges e" \
    "    join fragments g on g.id = e.source_id join pages o on o.id = g.page_id" \
    "    where e.target_type = 'claim' and e.target_id = " claim \
    "    and e.relation = 'origin'))))"

#endif
