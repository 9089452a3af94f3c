/* scholar_page.c - see scholar_page.h. */
#include "svc/queue/scholar_page.h"

#include <stdio.h>
#include <string.h>

#include <weir/offload.h>

#include "extract/claims.h"
#include "store/publication.h"
#include "store/webpage.h"
#include "svc/queue/doi_address.h"
#include "svc/queue/page_memory.h"

#define CLAIMS_MAX 5
#define ARENA_MAX ((size_t)1 << 20)

/* An abstract while it is read. */
struct abstract {
    const struct scholar_keep *keep;
    struct wr_arena arena;
    struct extract_claims claims;
    wr_err err;
};

void scholar_page_url(const struct scholar_paper *paper, char ret[SCHOLAR_PAGE_URL])
{
    if (paper->doi && !doi_address(ret, paper->doi))
        return;
    if (paper->arxiv)
        snprintf(ret, SCHOLAR_PAGE_URL, "https://arxiv.org/abs/%.2000s", paper->arxiv);
    else if (paper->api == SCHOLAR_OPENALEX)
        snprintf(ret, SCHOLAR_PAGE_URL, "https://openalex.org/%.2000s", paper->id);
    else
        snprintf(ret, SCHOLAR_PAGE_URL, "https://www.semanticscholar.org/paper/%.2000s",
                 paper->id);
}

static void read_abstract(void *arg)
{
    struct abstract *abstract = arg;
    const char *text = abstract->keep->paper->abstract;
    abstract->err = extract_claims(&abstract->claims, text, strlen(text),
                                   abstract->keep->hypothesis, CLAIMS_MAX, &abstract->arena);
}

static wr_err keep_work(const struct scholar_keep *keep, char id[STORE_EVIDENCE_ID],
                        wr_time deadline)
{
    const struct scholar_paper *paper = keep->paper;
    struct store_author authors[SCHOLAR_AUTHORS_MAX];
    size_t count = paper->author_count < SCHOLAR_AUTHORS_MAX ? paper->author_count
                                                             : SCHOLAR_AUTHORS_MAX;
    for (size_t i = 0; i < count; i++)
        authors[i] = (struct store_author){ .name = paper->authors[i] };
    return store_work_put(keep->store, &(struct store_work){
        .doi = paper->doi, .provider = scholar_api_name(paper->api), .provider_id = paper->id,
        .title = paper->title, .venue = paper->venue, .year = paper->year,
        .citations = paper->citations, .references = paper->references,
        .open_access = paper->pdf != NULL, .pdf_url = paper->pdf, .pmid = paper->pmid,
        .arxiv = paper->arxiv, .authors = authors, .author_count = count }, id, deadline);
}

static wr_err keep_page(struct abstract *abstract, const char *work, struct scholar_kept *ret,
                        wr_time deadline)
{
    const struct scholar_keep *keep = abstract->keep;
    const struct scholar_paper *paper = keep->paper;
    char url[SCHOLAR_PAGE_URL], domain[PAGE_DOMAIN_MAX];
    struct store_claim_new claims[CLAIMS_MAX];
    struct store_page_put put;
    size_t count = abstract->claims.count < CLAIMS_MAX ? abstract->claims.count : CLAIMS_MAX;
    for (size_t i = 0; i < count; i++)
        claims[i] = (struct store_claim_new){
            .fragment = 0, .text = abstract->claims.at[i].text,
            .type = extract_claim_type_name(abstract->claims.at[i].type),
            .confidence = abstract->claims.at[i].confidence / 1000.0 };
    scholar_page_url(paper, url);
    page_domain(url, domain);
    wr_err err = store_page_put(keep->store, &(struct store_page_new){
        .page = { .url = url, .domain = domain, .title = paper->title,
                  .page_type = "academic_paper", .fetch_method = "academic_api",
                  .canonical_id = work, .cause = keep->task },
        .task = keep->task, .reason = keep->reason, .depth = keep->depth,
        .source_page = keep->source_page,
        .fragments = &(struct store_fragment_new){
            .type = "abstract", .text = paper->abstract, .heading = paper->title },
        .fragment_count = paper->abstract ? 1 : 0, .claims = claims, .claim_count = count },
        &put, deadline);
    if (err)
        return err;
    memcpy(ret->page, put.id, sizeof(ret->page));
    ret->fragments = put.fragments_new;
    ret->claims = count;
    return WR_OK;
}

wr_err scholar_page_keep(const struct scholar_keep *keep, struct scholar_kept *ret,
                         wr_time deadline)
{
    char work[STORE_EVIDENCE_ID];
    struct abstract abstract = { .keep = keep, .arena = WR_ARENA(ARENA_MAX) };
    *ret = (struct scholar_kept){ 0 };
    wr_err err = WR_OK;
    if (keep->paper->abstract) {
        err = wr_offload(read_abstract, &abstract, deadline);
        err = err ? err : abstract.err;
    }
    if (!err)
        err = keep_work(keep, work, deadline);
    if (!err)
        err = keep_page(&abstract, work, ret, deadline);
    wr_arena_free(&abstract.arena);
    return err;
}
