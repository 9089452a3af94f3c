/* scholar_merge.c - see scholar_merge.h. */
#include "source/scholar_merge.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "biblio/fold.h"
#include "biblio/ident.h"

#define WORDS_MAX 48                    /* of a title */
#define WORDS_MIN 3                     /* of one that says enough */
#define ALIKE_PERMILLE 900

static const char *const origins[] = {
    [SCHOLAR_BOTH] = "both", [SCHOLAR_API_ONLY] = "api_only",
    [SCHOLAR_SERP_ONLY] = "serp_only",
};

const char *scholar_origin_name(enum scholar_origin origin)
{
    return origins[origin];
}

/* ---- titles ---- */

/* The words of a title as numbers, each once and in order. */
struct words { uint32_t at[WORDS_MAX]; uint32_t count; };

static int compare(const void *a, const void *b)
{
    uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
    return (one > other) - (one < other);
}

static uint32_t number_of(const char *word, size_t len)
{
    uint32_t number = 2166136261u;
    for (size_t i = 0; i < len; i++)
        number = (number ^ (unsigned char)word[i]) * 16777619u;
    return number;
}

static struct words words_of(const char *title, size_t len)
{
    char buf[BIB_FOLD_MAX];
    struct wr_text folded = WR_TEXT(buf);
    struct words words = { .count = 0 };
    bib_fold_words(&folded, title, len);
    for (const char *at = folded.at; *at && words.count < WORDS_MAX;) {
        size_t word = strcspn(at, " ");
        words.at[words.count++] = number_of(at, word);
        at += word + (at[word] == ' ');
    }
    qsort(words.at, words.count, sizeof(*words.at), compare);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < words.count; i++)
        if (kept == 0 || words.at[kept - 1] != words.at[i])
            words.at[kept++] = words.at[i];
    words.count = kept;
    return words;
}

/* How many words they have in common, of all that they have. */
static bool is_alike(const struct words *a, const struct words *b)
{
    uint32_t i = 0, j = 0, both = 0;
    if (a->count < WORDS_MIN || b->count < WORDS_MIN)
        return false;
    while (i < a->count && j < b->count) {
        uint32_t one = a->at[i], other = b->at[j];
        both += one == other;
        i += one <= other;
        j += other <= one;
    }
    return both * 1000 >= (a->count + b->count - both) * ALIKE_PERMILLE;
}

/* Where the name of a site may begin; the end, if nowhere. */
static size_t without_site(const char *title)
{
    static const char *const marks[] = { " - ", " | ", " – ", " — " };
    size_t end = 0;
    for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
        for (const char *at = strstr(title, marks[i]); at; at = strstr(at + 1, marks[i]))
            if ((size_t)(at - title) > end)
                end = (size_t)(at - title);
    return end ? end : strlen(title);
}

/* ---- identifiers ---- */

/* What follows this place in an address, up to a slash or the end, if it is made of these. */
static const char *part_after(struct wr_arena *arena, const char *at, const char *of)
{
    size_t len = at ? strcspn(at, "/?#") : 0;
    return len > 0 && strspn(at, of) >= len ? wr_arena_copy(arena, at, len) : NULL;
}

/* "https://www.semanticscholar.org/paper/Some-Title/649def34..." */
static const char *semantic_scholar_id(struct wr_arena *arena, const char *url)
{
    const char *at = strcasestr(url, "semanticscholar.org/paper/"), *id = NULL;
    for (at = at ? at + 25 : NULL; at && !id; at = strchr(at + 1, '/')) {
        id = part_after(arena, at + 1, "0123456789abcdef");
        if (id && strlen(id) != 40)
            id = NULL;
    }
    return id;
}

static const char *openalex_id(struct wr_arena *arena, const char *url)
{
    const char *at = strcasestr(url, "openalex.org/");
    at = at ? at + 13 : NULL;
    if (at && strncasecmp(at, "works/", 6) == 0)
        at += 6;
    if (!at || (*at != 'W' && *at != 'w') || !part_after(arena, at + 1, "0123456789"))
        return NULL;
    char *id = wr_arena_copy(arena, at, 1 + strspn(at + 1, "0123456789"));
    if (id)
        id[0] = 'W';
    return id;
}

static void find_ids(struct scholar_entry *entry, struct wr_arena *arena, const char *url)
{
    struct bib_ident found[BIB_IDENT_MAX];
    size_t count = bib_ident_find(found, BIB_IDENT_MAX, url, strlen(url), arena);
    for (size_t i = 0; i < count; i++) {
        const char **to = found[i].kind == BIB_DOI ? &entry->doi
                          : found[i].kind == BIB_ARXIV ? &entry->arxiv
                          : found[i].kind == BIB_PMID ? &entry->pmid
                          : found[i].kind == BIB_PMC ? &entry->pmcid : NULL;
        if (to && !*to)
            *to = found[i].value;
    }
    if (entry->doi && !entry->arxiv)
        entry->arxiv = bib_ident_doi_arxiv(entry->doi);
    entry->semantic_scholar = semantic_scholar_id(arena, url);
    entry->openalex = openalex_id(arena, url);
}

static bool is_same(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

/* ---- merging ---- */

struct merge {
    struct scholar_entry *entries;
    struct words *titles;
    size_t count;
    struct wr_arena *arena;
};

/* Two DOIs of one work: of the preprint and of what was published. */
static bool can_be_one(const struct scholar_entry *a, const struct scholar_entry *b)
{
    return !a->doi || !b->doi || bib_ident_doi_arxiv(a->doi) || bib_ident_doi_arxiv(b->doi);
}

static bool is_one(const struct scholar_entry *a, const struct scholar_entry *b)
{
    return is_same(a->doi, b->doi) || is_same(a->arxiv, b->arxiv) || is_same(a->pmid, b->pmid)
           || is_same(a->pmcid, b->pmcid) || is_same(a->openalex, b->openalex)
           || is_same(a->semantic_scholar, b->semantic_scholar);
}

/* Where it is already; the count, if it is not.  First by what names it. */
static size_t find(const struct merge *merge, const struct scholar_entry *entry,
                   const struct words *titles, size_t title_count)
{
    size_t i = 0;
    while (i < merge->count && !is_one(&merge->entries[i], entry))
        i++;
    if (i < merge->count)
        return i;
    for (i = 0; i < merge->count; i++)
        for (size_t j = 0; j < title_count; j++)
            if (can_be_one(&merge->entries[i], entry)
                && is_alike(&merge->titles[i], &titles[j]))
                return i;
    return i;
}

static void fill(const char **to, const char *from)
{
    if (!*to)
        *to = from;
}

static void fill_ids(struct scholar_entry *to, const struct scholar_entry *from)
{
    fill(&to->doi, from->doi);
    fill(&to->arxiv, from->arxiv);
    fill(&to->pmid, from->pmid);
    fill(&to->pmcid, from->pmcid);
    fill(&to->semantic_scholar, from->semantic_scholar);
    fill(&to->openalex, from->openalex);
}

/* What one catalogue does not know the other may. */
static void fill_paper(struct scholar_paper *to, const struct scholar_paper *from)
{
    if (!to->abstract && from->abstract) {
        struct scholar_paper other = *to;
        *to = *from;
        fill_paper(to, &other);
        return;
    }
    fill(&to->abstract, from->abstract);
    fill(&to->venue, from->venue);
    fill(&to->doi, from->doi);
    fill(&to->arxiv, from->arxiv);
    fill(&to->pmid, from->pmid);
    fill(&to->pdf, from->pdf);
    to->year = to->year ? to->year : from->year;
    to->citations = to->citations >= 0 ? to->citations : from->citations;
    to->references = to->references >= 0 ? to->references : from->references;
    if (!to->author_count) {
        to->authors = from->authors;
        to->author_count = from->author_count;
    }
}

static void add_paper(struct merge *merge, const struct scholar_paper *paper)
{
    struct scholar_entry entry = {
        .origin = SCHOLAR_API_ONLY, .apis = 1u << paper->api, .doi = paper->doi,
        .arxiv = paper->arxiv, .pmid = paper->pmid,
        .openalex = paper->api == SCHOLAR_OPENALEX ? paper->id : NULL,
        .semantic_scholar = paper->api == SCHOLAR_SEMANTIC_SCHOLAR ? paper->id : NULL };
    struct words title = words_of(paper->title, strlen(paper->title));
    size_t at = find(merge, &entry, &title, 1);
    if (at < merge->count) {
        merge->entries[at].apis |= entry.apis;
        fill_ids(&merge->entries[at], &entry);
        fill_paper(merge->entries[at].paper, paper);
        return;
    }
    entry.paper = wr_arena_alloc(merge->arena, sizeof(*entry.paper));
    if (!entry.paper)
        return;
    *entry.paper = *paper;
    merge->titles[merge->count] = title;
    merge->entries[merge->count++] = entry;
}

static void add_page(struct merge *merge, const struct serp_result *page)
{
    struct scholar_entry entry = { .origin = SCHOLAR_SERP_ONLY, .page = page };
    struct words titles[] = { words_of(page->title, strlen(page->title)),
                              words_of(page->title, without_site(page->title)) };
    find_ids(&entry, merge->arena, page->url);
    size_t at = find(merge, &entry, titles, 2);
    if (at < merge->count) {
        struct scholar_entry *known = &merge->entries[at];
        if (known->origin == SCHOLAR_API_ONLY)
            known->origin = SCHOLAR_BOTH;
        if (!known->page)
            known->page = page;
        fill_ids(known, &entry);
        return;
    }
    merge->titles[merge->count] = titles[1];
    merge->entries[merge->count++] = entry;
}

wr_err scholar_merge(struct scholar_list *ret, const struct scholar_merging *merging)
{
    struct merge merge = {
        .arena = merging->arena,
        .entries = wr_arena_alloc(merging->arena,
                                  SCHOLAR_MERGE_MAX * sizeof(struct scholar_entry)),
        .titles = calloc(SCHOLAR_MERGE_MAX, sizeof(struct words)) };
    wr_err err = merge.entries && merge.titles ? WR_OK : WR_NOMEM;
    for (size_t i = 0; i < SCHOLAR_APIS && !err; i++)
        for (size_t j = 0; merging->papers[i] && j < merging->papers[i]->count; j++)
            add_paper(&merge, &merging->papers[i]->papers[j]);
    for (size_t i = 0; i < SERP_PAGES_MAX && !err; i++)
        for (size_t j = 0; merging->pages[i] && j < merging->pages[i]->count; j++)
            add_page(&merge, &merging->pages[i]->results[j]);
    free(merge.titles);
    if (err || merging->arena->full)
        return WR_NOMEM;
    *ret = (struct scholar_list){ merge.entries, merge.count };
    return WR_OK;
}
