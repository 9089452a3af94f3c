/* ident.c - identifiers in running text.
 *
 * One pass from left to right.  Where a word begins, the matchers are asked in turn; each
 * returns how many bytes it has taken, or 0. */
#include "biblio/ident.h"

#include "biblio/ident_int.h"

typedef size_t (*match_fn)(struct rest rest, struct wr_text *out);

static const struct { enum bib_ident_kind kind; match_fn match; } matchers[] = {
    { BIB_ARXIV, ident_match_arxiv },
    { BIB_PMID, ident_match_pmid },
    { BIB_PMC, ident_match_pmc },
    { BIB_ISBN, ident_match_isbn },
    { BIB_EPRINT, ident_match_eprint },
    { BIB_ACL, ident_match_acl },
    { BIB_RFC, ident_match_rfc },
};

struct search {
    struct bib_ident *ret;
    size_t count, max;
    struct wr_arena *arena;
    struct wr_text out;         /* of the matcher */
};

static void found(struct search *search, enum bib_ident_kind kind, size_t at, size_t len)
{
    const char *value = wr_arena_copy(search->arena, search->out.at, search->out.len);
    if (value && search->count < search->max)
        search->ret[search->count++] = (struct bib_ident){ kind, value, at, len };
}

static void again(struct search *search)
{
    wr_text_rewind(&search->out, 0);
}

/* What publishers put behind a DOI in their addresses, where a DOI is left before it. */
static const char *const tails[] = { "/full/html", "/full", "/abstract", "/pdf", "/epdf",
                                     "/html",      "/meta", "/summary",  ".pdf", ".full" };

static void drop_tail(struct wr_text *out)
{
    char buf[IDENT_NAME_MAX];
    for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
        size_t len = strlen(tails[i]);
        if (out->len <= len || memcmp(out->at + out->len - len, tails[i], len) != 0)
            continue;
        struct wr_text doi = WR_TEXT(buf);
        struct rest rest = { out->at, out->len - len };
        if (ident_match_doi(rest, &doi, false, false) == rest.len && doi.len == rest.len) {
            wr_text_rewind(out, rest.len);
            return;
        }
    }
}

/* The identifiers in an address that is not itself one. */
static void look_inside(struct search *search, struct rest url, size_t at, size_t len)
{
    for (size_t i = 0; i < url.len; i++) {
        struct rest rest = rest_from(url, i);
        if (i > 0 && ident_alnum(url.at[i - 1]))
            continue;
        again(search);
        if (ident_match_doi(rest, &search->out, false, true)) {
            drop_tail(&search->out);
            found(search, BIB_DOI, at, len);
            return;
        }
        for (size_t m = 1; m < sizeof(matchers) / sizeof(matchers[0]); m++) {
            again(search);
            if (matchers[m].match(rest, &search->out)) {
                found(search, matchers[m].kind, at, len);
                return;
            }
        }
    }
}

static size_t after(struct rest url, const char *part)
{
    size_t len = strlen(part);
    for (size_t i = 0; i + len <= url.len; i++)
        if (rest_word(rest_from(url, i), part))
            return i + len;
    return 0;
}

static size_t find_url(struct search *search, struct rest rest, size_t at)
{
    char buf[IDENT_URL_MAX];
    struct wr_text text = WR_TEXT(buf);
    size_t used = ident_match_url(rest, &text);
    if (!used)
        return 0;
    struct rest url = { text.at, text.len };
    size_t doi = after(url, "doi.org/"), arxiv = after(url, "://");
    again(search);
    if (doi && ident_match_doi(rest_from(url, doi), &search->out, false, true)) {
        found(search, BIB_DOI, at, used);
        return used;
    }
    again(search);
    struct rest host = rest_from(url, arxiv);
    host = rest_from(host, rest_word(host, "www."));
    host = rest_from(host, rest_word(host, "export."));
    if (ident_match_arxiv_address(host, &search->out)) {
        found(search, BIB_ARXIV, at, used);
        return used;
    }
    again(search);
    wr_text_bytes(&search->out, text.at, text.len);
    found(search, BIB_URL, at, used);
    look_inside(search, url, at, used);
    return used;
}

/* "doi:10.", "DOI 10.", "doi.org/10." or the bare number. */
static size_t find_doi(struct search *search, struct rest rest, size_t at)
{
    size_t i = rest_word(rest, "dx.doi.org/");
    bool url = i > 0 || (i = rest_word(rest, "doi.org/")) > 0;
    if (!i && (i = rest_word(rest, "doi")))
        i += rest_any_of(rest_from(rest, i), ":.= \n/[(");
    again(search);
    size_t used = ident_match_doi(rest_from(rest, i), &search->out, i > 0, url);
    if (!used)
        return 0;
    found(search, BIB_DOI, at, i + used);
    return i + used;
}

static size_t find_other(struct search *search, struct rest rest, size_t at)
{
    for (size_t m = 0; m < sizeof(matchers) / sizeof(matchers[0]); m++) {
        again(search);
        size_t used = matchers[m].match(rest, &search->out);
        if (used) {
            found(search, matchers[m].kind, at, used);
            return used;
        }
    }
    return 0;
}

size_t bib_ident_find(struct bib_ident *ret, size_t max, const char *text, size_t len,
                      struct wr_arena *arena)
{
    char buf[IDENT_URL_MAX];
    struct search search = { ret, 0, max, arena, WR_TEXT(buf) };
    char before = ' ';
    for (size_t at = 0; at < len && search.count < max;) {
        struct rest rest = { text + at, len - at };
        size_t used = 0;
        /* A DOI may be glued to its marker or to a word, but not to a number. */
        bool number = rest.at[0] == '1' && !ident_digit(before) && before != '.';
        if (!ident_alnum(before)) {
            used = find_url(&search, rest, at);
            if (!used)
                used = find_doi(&search, rest, at);
            if (!used)
                used = find_other(&search, rest, at);
        } else if (number) {
            used = find_doi(&search, rest, at);
        }
        at += used ? used : 1;
        before = text[at - 1];
    }
    return search.count;
}

static const char *first(struct wr_arena *arena, const char *text, enum bib_ident_kind kind)
{
    struct bib_ident all[BIB_IDENT_MAX];
    size_t count = bib_ident_find(all, BIB_IDENT_MAX, text, strlen(text), arena);
    for (size_t i = 0; i < count; i++)
        if (all[i].kind == kind)
            return all[i].value;
    return NULL;
}

const char *bib_ident_doi(struct wr_arena *arena, const char *text)
{
    return first(arena, text, BIB_DOI);
}

const char *bib_ident_arxiv(struct wr_arena *arena, const char *text)
{
    char buf[IDENT_NAME_MAX];
    struct wr_text out = WR_TEXT(buf);
    struct rest rest = { text, strlen(text) };
    if (ident_match_arxiv_id(rest_from(rest, rest_blanks(rest)), &out))
        return wr_arena_copy(arena, out.at, out.len);
    const char *id = first(arena, text, BIB_ARXIV);
    if (id)
        return id;
    const char *doi = first(arena, text, BIB_DOI);
    return doi ? bib_ident_doi_arxiv(doi) : NULL;
}
