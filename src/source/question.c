/* question.c - what can be asked about a work: by the identifiers it has, then by its title.
 *
 * Some identifiers have no field of their own.  They are in addresses, in DOIs that are made
 * of them, or named where they were published: a mark says what stands before one, and what
 * it is made of.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "source/source.h"

#define DIGITS "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

struct mark { enum source_by by; const char *before; const char *of; size_t min, max; };

static const struct mark marks[] = {
    { SOURCE_BY_RFC, "10.17487/rfc", DIGITS, 1, 5 },
    { SOURCE_BY_RFC, "/rfc", DIGITS, 1, 5 },
    { SOURCE_BY_RFC, "rfc ", DIGITS, 1, 5 },
    { SOURCE_BY_RFC, "rfc-", DIGITS, 1, 5 },
    { SOURCE_BY_RFC, "request for comments ", DIGITS, 1, 5 },
    { SOURCE_BY_EPRINT, "eprint.iacr.org/", DIGITS "/", 6, 10 },
    { SOURCE_BY_EPRINT, "cryptology eprint archive, paper ", DIGITS "/", 6, 10 },
    { SOURCE_BY_EPRINT, "cryptology eprint archive, report ", DIGITS "/", 6, 10 },
    { SOURCE_BY_EPRINT, "cryptology eprint archive ", DIGITS "/", 6, 10 },
    { SOURCE_BY_ACL, "aclanthology.org/", DIGITS LETTERS ".-", 8, 40 },
    { SOURCE_BY_ACL, "aclweb.org/anthology/", DIGITS LETTERS ".-", 8, 40 },
    { SOURCE_BY_ACL, "10.18653/v1/", DIGITS LETTERS ".-", 8, 40 },
    { SOURCE_BY_ACL, "10.3115/v1/", DIGITS LETTERS ".-", 8, 40 },
    { SOURCE_BY_FORUM, "openreview.net/forum?id=", DIGITS LETTERS "-_", 4, 40 },
    { SOURCE_BY_FORUM, "openreview.net/pdf?id=", DIGITS LETTERS "-_", 4, 40 },
};

/* "2023/1234": a year, and a number in it. */
static bool is_eprint_id(const char *at, size_t len)
{
    return strspn(at, DIGITS) == 4 && at[4] == '/' && strspn(at + 5, DIGITS) == len - 5;
}

static const char *find_any_case(const char *text, const char *part)
{
    size_t len = strlen(part);
    for (; *text; text++)
        if (strncasecmp(text, part, len) == 0)
            return text;
    return NULL;
}

static char *id_at(const struct mark *mark, const char *at, struct wr_arena *arena)
{
    size_t len = strspn(at, mark->of);
    while (len > 0 && at[len - 1] == '.')
        len--;
    if (len > 4 && strncasecmp(at + len - 4, ".pdf", 4) == 0)
        len -= 4;
    if (len < mark->min || len > mark->max)
        return NULL;
    if (mark->by == SOURCE_BY_EPRINT && !is_eprint_id(at, len))
        return NULL;
    char *id = wr_arena_copy(arena, at, len);
    /* Letters of old ids of the Anthology stand for venues and are upper case. */
    if (id && mark->by == SOURCE_BY_ACL && isalpha((unsigned char)id[0]))
        id[0] = (char)toupper((unsigned char)id[0]);
    return id;
}

static char *behind_mark(const struct mark *mark, const char *text, struct wr_arena *arena)
{
    char *id = NULL;
    for (const char *at = text; at && !id; at = at ? at + 1 : NULL) {
        at = find_any_case(at, mark->before);
        bool inside = at && at > text && isalnum((unsigned char)at[0])
                      && isalnum((unsigned char)at[-1]);
        if (at && !inside)
            id = id_at(mark, at + strlen(mark->before), arena);
    }
    return id;
}

static const char *find_mark(const struct bib_work *work, enum source_by by,
                             struct wr_arena *arena)
{
    const char *id = NULL;
    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]) && !id; i++) {
        if (marks[i].by != by)
            continue;
        const char *const places[] = { work->doi, work->title, work->venue, work->volume };
        for (size_t k = 0; k < sizeof(places) / sizeof(places[0]) && !id; k++)
            id = behind_mark(&marks[i], places[k], arena);
        for (uint32_t k = 0; k < work->url_count && !id; k++)
            id = behind_mark(&marks[i], work->urls[k], arena);
    }
    return id;
}

static const char *text_for(const struct bib_work *work, enum source_by by,
                            struct wr_arena *arena)
{
    const char *text = by == SOURCE_BY_TITLE   ? work->title
                       : by == SOURCE_BY_URL   ? (work->url_count ? work->urls[0] : NULL)
                       : by == SOURCE_BY_DOI   ? work->doi
                       : by == SOURCE_BY_ARXIV ? work->arxiv_id
                                               : find_mark(work, by, arena);
    return text && *text ? text : NULL;
}

size_t source_questions(const struct source_driver *driver, bool keyed,
                        const struct bib_work *work, struct wr_arena *arena,
                        struct source_question *ret)
{
    static const enum source_by order[] = {
        SOURCE_BY_DOI, SOURCE_BY_ARXIV, SOURCE_BY_RFC, SOURCE_BY_EPRINT, SOURCE_BY_ACL,
        SOURCE_BY_FORUM, SOURCE_BY_URL, SOURCE_BY_TITLE,
    };
    uint32_t asks = driver->asks & (keyed ? UINT32_MAX : driver->keyless);
    size_t count = 0;
    if (driver->has && !driver->has(work))
        return 0;
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
