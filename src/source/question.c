/* question.c - what can be asked about a work: by the identifiers it has, then by its title.
 *
 * Some identifiers have no field of their own.  They stand in addresses, in DOIs that are made
 * of them, or in the names of what they were published in.
 */
#include <string.h>
#include <strings.h>

#include "biblio/ident.h"
#include "source/source.h"

#define FORUM_MAX 40

/* DOIs that are made of another identifier. */
static const struct { enum source_by by; const char *prefix; } prefixes[] = {
    { SOURCE_BY_RFC, "10.17487/rfc" },
    { SOURCE_BY_ACL, "10.18653/v1/" },
    { SOURCE_BY_ACL, "10.3115/v1/" },
};

static const char *of_doi(const char *doi, enum source_by by)
{
    for (size_t i = 0; doi && i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        size_t len = strlen(prefixes[i].prefix);
        if (prefixes[i].by == by && strncmp(doi, prefixes[i].prefix, len) == 0)
            return doi + len;
    }
    return NULL;
}

/* "openreview.net/forum?id=aB_c-9": case means something in it. */
static const char *forum_of(const char *url, struct wr_arena *arena)
{
    const char *host = strstr(url, "openreview.net/"), *id = host ? strstr(host, "?id=") : NULL;
    if (!id)
        return NULL;
    size_t len = strcspn(id + 4, "&#/ ");
    return len > 0 && len <= FORUM_MAX ? wr_arena_copy(arena, id + 4, len) : NULL;
}

static const char *in_text(const char *text, enum source_by by, struct wr_arena *arena)
{
    static const enum bib_ident_kind kinds[SOURCE_BY_COUNT] = {
        [SOURCE_BY_RFC] = BIB_RFC, [SOURCE_BY_EPRINT] = BIB_EPRINT, [SOURCE_BY_ACL] = BIB_ACL,
    };
    struct bib_ident found[BIB_IDENT_MAX];
    size_t count = text ? bib_ident_find(found, BIB_IDENT_MAX, text, strlen(text), arena) : 0;
    for (size_t i = 0; i < count; i++)
        if (found[i].kind == kinds[by])
            return found[i].value;
    return NULL;
}

static const char *find(const struct bib_work *work, enum source_by by, struct wr_arena *arena)
{
    const char *id = of_doi(work->doi, by);
    if (!id && by != SOURCE_BY_FORUM)
        id = in_text(work->title, by, arena);
    if (!id && by != SOURCE_BY_FORUM)
        id = in_text(work->venue, by, arena);
    for (uint32_t i = 0; i < work->url_count && !id; i++)
        id = by == SOURCE_BY_FORUM ? forum_of(work->urls[i], arena)
                                   : in_text(work->urls[i], by, arena);
    return id;
}

static const char *text_for(const struct bib_work *work, enum source_by by,
                            struct wr_arena *arena)
{
    const char *text = NULL;
    switch (by) {
    case SOURCE_BY_TITLE: text = work->title; break;
    case SOURCE_BY_DOI: text = work->doi; break;
    case SOURCE_BY_ARXIV: text = work->arxiv_id; break;
    case SOURCE_BY_URL: break;          /* there may be several */
    default: text = find(work, by, arena);
    }
    return text && *text ? text : NULL;
}

/* Each address of the web that is cited. */
static size_t ask_by_urls(const struct bib_work *work, struct source_question *ret)
{
    size_t count = 0;
    for (uint32_t i = 0; i < work->url_count && count < SOURCE_URLS_MAX; i++)
        if (strncasecmp(work->urls[i], "http://", 7) == 0
            || strncasecmp(work->urls[i], "https://", 8) == 0)
            ret[count++] = (struct source_question){ .by = SOURCE_BY_URL, .text = work->urls[i],
                                                     .title = work->title };
    return count;
}

size_t source_questions(const struct source_driver *driver, bool keyed,
                        const struct bib_work *work, struct wr_arena *arena,
                        struct source_question *ret)
{
    static const enum source_by order[] = {
        SOURCE_BY_DOI, SOURCE_BY_ARXIV, SOURCE_BY_RFC, SOURCE_BY_EPRINT, SOURCE_BY_ACL,
        SOURCE_BY_FORUM, SOURCE_BY_TITLE,
    };
    uint32_t asks = driver->asks & (keyed ? UINT32_MAX : driver->keyless);
    size_t count = 0;
    if (driver->has && !driver->has(work))
        return 0;
    if (asks & SOURCE_URL)
        count = ask_by_urls(work, ret);
    bool known = false;                 /* an identifier that needs no search */
    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
        enum source_by by = order[i];
        bool always = driver->always & SOURCE_BIT(by);
        if (!(asks & SOURCE_BIT(by)) || count == SOURCE_QUESTIONS_MAX
            || (known && !always && by != SOURCE_BY_TITLE))
            continue;
        const char *text = text_for(work, by, arena);
        if (!text)
            continue;
        known = true;
        ret[count++] = (struct source_question){
            .by = by, .text = text, .always = always,
            .title = by == SOURCE_BY_TITLE ? NULL : work->title };
    }
    return count;
}
