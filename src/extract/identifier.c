#include "extract/identifier.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "biblio/ident.h"

static bool is_sign(char c)
{
    return c == '.' || c == ':' || c == '/' || c == '-';
}

static bool is_gap(char c)
{
    return c == ' ' || c == '\n' || c == '\t';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "10." or ":1401.": the number goes on behind the space. */
static bool in_number(const char *raw, size_t i)
{
    size_t digits = 0;
    while (digits < i && is_digit(raw[i - 1 - digits]))
        digits++;
    char before = (char)(digits < i ? raw[i - 1 - digits] : ' ');
    return (digits == 2 && raw[i - 2] == '1' && raw[i - 1] == '0')
        || (digits == 4 && (before == ':' || is_gap(before)));
}

/* Whether the space at i stands there only because some readers of PDF put spaces around
 * signs: "arXiv :hep -th/0610336", "10 .1098/rsta", "arXiv: 1401. 4024". */
static bool is_torn(const char *raw, size_t len, size_t i)
{
    if (!is_gap(raw[i]) || i == 0 || i + 1 >= len)
        return false;
    if (is_sign(raw[i + 1])) {
        bool dot = raw[i + 1] == '.';
        bool digits = i + 3 < len && is_digit(raw[i - 1]) && is_digit(raw[i + 3]);
        return i + 2 < len && (!is_gap(raw[i + 2]) || !dot || digits);
    }
    if (raw[i - 1] == '.')
        return is_digit(raw[i + 1])
            && in_number(raw, i > 2 && is_gap(raw[i - 2]) ? i - 2 : i - 1);
    return is_sign(raw[i - 1]);
}

static void tighten(struct wr_text *ret, const char *raw, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (!is_torn(raw, len, i))
            wr_text_bytes(ret, raw + i, 1);
    }
}

/* Where "arxiv" stands, in either case; NULL: nowhere. */
static const char *find_arxiv(const struct wr_text *text)
{
    for (size_t i = 0; i + 5 <= text->len; i++) {
        if (strncasecmp(text->at + i, "arxiv", 5) == 0)
            return text->at + i;
    }
    return NULL;
}

/* What stands behind a DOI without a space and is none of it. */
static void cut_doi(char *doi)
{
    static const char *const tails[] = { "[doi", "[pii", ".pmid", ";pmid", "pmid:", "[arxiv",
                                         ".pubmed" };
    for (size_t i = 0; i < sizeof(tails) / sizeof(*tails); i++) {
        char *tail = strstr(doi, tails[i]);
        if (tail)
            *tail = '\0';
    }
}

/* A DOI that was torn is the beginning of the whole one. */
static bool is_longer(const char *torn, const char *whole)
{
    size_t len = torn ? strlen(torn) : 0;
    if (!torn)
        return true;
    return strncmp(torn, whole, len) == 0 && (whole[len] == '/' || whole[len] == '.');
}

static void take(struct bib_work *work, const struct bib_ident *found, struct wr_arena *arena)
{
    if (found->kind == BIB_ARXIV && !work->arxiv_id)
        work->arxiv_id = found->value;
    if (found->kind != BIB_DOI || (work->doi && !is_longer(work->doi, found->value)))
        return;
    char *doi = wr_arena_str(arena, found->value);
    if (doi)
        cut_doi(doi);
    work->doi = doi;
}

/* Look again where nothing was found, or a DOI that ends at a space. */
static void find_torn(struct bib_work *work, struct bib_ident *found, const char *raw,
                      size_t len, struct wr_arena *arena)
{
    struct wr_text tight = wr_text_heap(len + 1);
    tighten(&tight, raw, len);
    size_t count = tight.len < len ? bib_ident_find(found, BIB_IDENT_MAX, tight.at, tight.len,
                                                    arena) : 0;
    for (size_t i = 0; i < count; i++) {
        bool known = work->doi && !is_longer(work->doi, found[i].value);
        if (found[i].kind == BIB_ARXIV || (found[i].kind == BIB_DOI && !known))
            take(work, &found[i], arena);
    }
    /* "e-printarXiv:1601.04809" */
    const char *arxiv = work->arxiv_id ? NULL : find_arxiv(&tight);
    if (arxiv && bib_ident_find(found, 1, arxiv, tight.len - (size_t)(arxiv - tight.at), arena)
        && found->kind == BIB_ARXIV)
        work->arxiv_id = found->value;
    wr_text_free(&tight);
}

void extract_identifiers(struct bib_work *work, const char *raw, size_t len,
                         struct wr_arena *arena)
{
    struct bib_ident *found = calloc(BIB_IDENT_MAX, sizeof(*found));
    const char **urls = wr_arena_alloc(arena, BIB_IDENT_MAX * sizeof(*urls));
    size_t count = found && urls ? bib_ident_find(found, BIB_IDENT_MAX, raw, len, arena) : 0;
    for (size_t i = 0; i < count; i++) {
        if (found[i].kind == BIB_URL)
            urls[work->url_count++] = found[i].value;
        else if (found[i].kind != BIB_DOI || !work->doi)
            take(work, &found[i], arena);
    }
    work->urls = urls;
    if (found && (!work->arxiv_id || work->doi))
        find_torn(work, found, raw, len, arena);
    if (!found)
        arena->full = true;
    free(found);
}
