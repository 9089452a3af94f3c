/* doi_target.c - a DOI as a target: what catalogues know of it, else where it leads. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "svc/queue/doi_address.h"
#include "svc/queue/errand.h"
#include "svc/queue/scholar_page.h"

#define ARENA_MAX ((size_t)4 << 20)
#define INPUT_MAX ((size_t)16 << 10)    /* each byte of it may become six */

static wr_err look_up(struct errand *errand, enum scholar_api api, const char *doi,
                      struct wr_arena *arena, struct scholar_found *found)
{
    char id[DOI_MAX + 8];
    if (!*errand->explorer->sources
        || !errand_wants(errand, "academic_apis", scholar_api_name(api)))
        return WR_UNSUPPORTED;
    snprintf(id, sizeof(id), "DOI:%s", doi);
    wr_err err = scholar_look(found, &(struct scholar_ask){
        .sources = *errand->explorer->sources, .api = api, .text = id, .arena = arena },
        errand->until);
    if (err && err != WR_NOTFOUND && err != WR_UNSUPPORTED && err != WR_CANCELED)
        errand_trouble(errand, scholar_api_name(api), "SOURCE_FAILED", "%s", found->why);
    return err;
}

/* The first catalogue that has it, with its abstract if one has that. */
static wr_err keep_paper(struct errand *errand, const char *doi, bool *kept)
{
    struct wr_arena arena = WR_ARENA(ARENA_MAX);
    struct scholar_paper paper = { 0 };
    wr_err err = WR_OK;
    for (unsigned api = 0; api < SCHOLAR_APIS && !paper.abstract && !err; api++) {
        struct scholar_found found = { 0 };
        wr_err missed = look_up(errand, (enum scholar_api)api, doi, &arena, &found);
        if (missed == WR_CANCELED)
            err = missed;
        else if (!missed && (!paper.title || found.papers[0].abstract))
            paper = found.papers[0];
    }
    *kept = !err && paper.abstract;
    if (*kept) {
        struct scholar_kept got;
        err = scholar_page_keep(&(struct scholar_keep){
            .store = errand->explorer->store, .task = queue_work_task(errand->work),
            .hypothesis = errand->hypothesis, .reason = errand_reason(errand),
            .depth = (unsigned)errand_number(errand, "depth", 0),
            .source_page = errand_source(errand), .paper = &paper },
            &got, errand->until);
        if (!err) {
            errand->papers++;
            errand->fragments += got.fragments;
            errand->claims += got.claims;
            memcpy(errand->page, got.page, sizeof(errand->page));
        }
    }
    wr_arena_free(&arena);
    return err;
}

/* Who cites it, and whom it cites. */
static wr_err chain_citations(struct errand *errand, const char *doi)
{
    char id[DOI_MAX + 8];
    struct wr_text input = wr_text_heap(INPUT_MAX);
    struct wr_json json = wr_json_to(&input);
    snprintf(id, sizeof(id), "DOI:%s", doi);
    wr_json_object(&json, NULL);
    wr_json_array(&json, "papers");
    wr_json_str(&json, NULL, id);
    wr_json_end(&json);
    wr_json_str(&json, "query", "");
    wr_json_end(&json);
    wr_err err = input.cut ? WR_NOMEM : queue_work_chain(errand->work, QUEUE_CITATIONS, doi,
                                                         input.at, errand->until);
    wr_text_free(&input);
    return err;
}

static wr_err follow(struct errand *errand, const char *doi)
{
    char url[ADDRESS_MAX + 1];
    wr_err err = doi_address(url, doi);
    if (err == WR_INVALID)
        return queue_work_fail(errand->work, err, "INVALID_PARAMS", "no catalogue has this "
                               "DOI, and it is too long to be asked for at doi.org");
    return err ? err : errand_visit(errand, url, errand_reason(errand),
                                    (unsigned)errand_number(errand, "depth", 0));
}

wr_err explore_doi(struct explorer *explorer, struct queue_work *work)
{
    struct errand errand;
    char doi[DOI_MAX + 1] = "";
    bool kept = false;
    wr_err err = errand_begin(&errand, explorer, work);
    const char *said = err ? NULL : errand_text(&errand, "doi");
    if (!err && (!said || strlen(said) > DOI_MAX))
        err = queue_work_fail(work, WR_INVALID, "INVALID_PARAMS", "the target has no doi");
    for (size_t i = 0; !err && said && said[i]; i++)
        doi[i] = (char)tolower((unsigned char)said[i]);
    if (!err)
        err = keep_paper(&errand, doi, &kept);
    if (!err)
        err = kept ? chain_citations(&errand, doi) : follow(&errand, doi);
    return errand_end(&errand, err);
}
