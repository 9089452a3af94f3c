/* complement.c - see complement.h. */
#include "svc/queue/complement.h"

#include <stdio.h>
#include <string.h>

#define ID_MAX 2100

struct complement {
    struct errand *errand;
    struct wr_arena *arena;
    wr_time deadline;
    bool failed[SCHOLAR_APIS];
    size_t asked;
};

/* How catalogues are asked for it; false: it has no id. */
static bool name(char id[ID_MAX], const struct scholar_entry *entry)
{
    const struct { const char *prefix, *id; } names[] = {
        { "", entry->openalex }, { "", entry->semantic_scholar }, { "DOI:", entry->doi },
        { "ARXIV:", entry->arxiv }, { "PMID:", entry->pmid }, { "PMCID:", entry->pmcid } };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (names[i].id) {
            snprintf(id, ID_MAX, "%s%.2000s", names[i].prefix, names[i].id);
            return true;
        }
    return false;
}

/* What one has of it; NULL: nothing, or it was not asked. */
static wr_err look(struct complement *complement, enum scholar_api api, const char *id,
                   struct scholar_paper **ret)
{
    struct errand *errand = complement->errand;
    struct scholar_found found = { 0 };
    *ret = NULL;
    if (complement->failed[api] || complement->asked == COMPLEMENT_MAX
        || !errand_wants(errand, "academic_apis", scholar_api_name(api)))
        return WR_OK;
    wr_err err = scholar_look(&found, &(struct scholar_ask){
        .sources = *errand->explorer->sources, .api = api, .text = id,
        .arena = complement->arena }, complement->deadline);
    complement->asked += err != WR_UNSUPPORTED && err != WR_INVALID;
    complement->failed[api] = err && err != WR_NOTFOUND && err != WR_INVALID;
    if (!err && found.count)
        *ret = &found.papers[0];
    if (err == WR_CANCELED || err == WR_NOMEM)
        return err;
    if (complement->failed[api] && err != WR_UNSUPPORTED)
        errand_trouble(errand, scholar_api_name(api), "SOURCE_FAILED", "%s", found.why);
    return WR_OK;
}

static wr_err complement_one(struct complement *complement, struct scholar_entry *entry)
{
    enum scholar_api first = entry->openalex ? SCHOLAR_OPENALEX : SCHOLAR_SEMANTIC_SCHOLAR;
    enum scholar_api second = entry->openalex ? SCHOLAR_SEMANTIC_SCHOLAR : SCHOLAR_OPENALEX;
    struct scholar_paper *paper, *other = NULL;
    char id[ID_MAX];
    if (!name(id, entry))
        return WR_OK;
    wr_err err = look(complement, first, id, &paper);
    const char *doi = paper && paper->doi ? paper->doi : entry->doi;
    if (!err && doi && !(paper && paper->abstract)) {
        snprintf(id, sizeof(id), "DOI:%.2000s", doi);
        err = look(complement, second, id, &other);
    }
    if (other && (!paper || other->abstract))
        paper = other;
    if (!err && paper) {
        entry->paper = paper;
        entry->apis |= 1u << paper->api;
        entry->origin = SCHOLAR_BOTH;
    }
    return err;
}

wr_err complement_papers(struct errand *errand, struct scholar_list *list,
                         struct wr_arena *arena, wr_time deadline)
{
    struct complement complement = { .errand = errand, .arena = arena, .deadline = deadline };
    wr_err err = WR_OK;
    if (!*errand->explorer->sources)
        return WR_OK;
    for (size_t i = 0; i < list->count && !err; i++)
        if (list->entries[i].page && !list->entries[i].paper)
            err = complement_one(&complement, &list->entries[i]);
    return err;
}
