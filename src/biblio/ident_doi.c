/* ident_doi.c - digital object identifiers, also where a line breaks inside one. */
#include "biblio/ident.h"

#include "biblio/ident_int.h"

static bool ends_doi(char c, bool sici)
{
    unsigned char u = (unsigned char)c;
    if (u <= ' ' || u >= 0x7f)
        return true;
    if (c == '<' || c == '>')
        return !sici;
    return strchr("\"]},|\\`", c) != NULL;
}

/* How many blanks lie inside the DOI here; 0: it has ended. */
static size_t doi_break(struct rest rest, char last, bool bare)
{
    size_t gap = rest_blanks(rest);
    struct rest next = rest_from(rest, gap);
    bool newline = rest_newline(rest, gap);
    if (!ident_alnum(rest_at(next, 0)))
        return 0;
    if (bare)
        return gap;
    if (last == '-' || last == '_' || last == '/')
        return gap;
    if (!newline || rest_is_year(next))
        return 0;
    if (last == '.')
        return rest_digits(next) >= 3 ? gap : 0;
    /* A number that goes on, unless it is the number of the next reference. */
    size_t count = rest_digits(next);
    bool marker = count <= 3 && (rest_at(next, count) == '.' || rest_at(next, count) == ')');
    return ident_digit(last) && count > 0 && !marker ? gap : 0;
}

/* How much at the end belongs to the sentence, not to the name. */
static size_t trailing(const char *at, size_t len)
{
    size_t end = len;
    while (end > 0) {
        char c = at[end - 1];
        if (strchr(".,;:'\"*", c)) {
            end--;
            continue;
        }
        if (c != ')' && c != ']' && c != '}')
            break;
        char open = (char)(c == ')' ? '(' : c == ']' ? '[' : '{');
        long depth = 0;
        for (size_t i = 0; i < end; i++)
            depth += (at[i] == open) - (at[i] == c);
        if (depth >= 0)
            break;
        end--;
    }
    return len - end;
}

void ident_trim(struct wr_text *out, size_t *used)
{
    size_t extra = trailing(out->at, out->len);
    wr_text_rewind(out, out->len - extra);
    *used -= extra;
}

static int hex(char c)
{
    if (ident_digit(c))
        return c - '0';
    c |= 32;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The character that "%28" stands for; 0: it is none, or none that may be seen. */
static char percent(struct rest rest)
{
    int high = hex(rest_at(rest, 1)), low = hex(rest_at(rest, 2));
    if (rest_at(rest, 0) != '%' || high < 2 || high > 7 || low < 0 || (high == 7 && low == 15))
        return '\0';
    return (char)(high * 16 + low);
}

/* arXiv's own DOIs come with a version at times; the work is the same. */
static void drop_version(struct wr_text *out)
{
    if (!bib_ident_doi_arxiv(out->at))
        return;
    size_t end = out->len;
    while (end > 0 && ident_digit(out->at[end - 1]))
        end--;
    if (end < out->len && end > 0 && out->at[end - 1] == 'v')
        wr_text_rewind(out, end - 1);
}

size_t ident_match_doi(struct rest rest, struct wr_text *out, bool marked, bool url)
{
    size_t i = rest_word(rest, "10.");
    if (!i)
        return 0;
    wr_text_str(out, "10.");
    if (marked)
        i += rest_blanks(rest_from(rest, i));
    size_t registrant = rest_digits(rest_from(rest, i));
    if (registrant < 4 || registrant > 9)
        return 0;
    for (; i < rest.len && (ident_digit(rest.at[i]) || rest.at[i] == '.'); i++)
        ident_put(out, rest.at[i]);
    if (marked)
        i += rest_blanks(rest_from(rest, i));
    if (rest_at(rest, i) != '/' && !(url && rest_word(rest_from(rest, i), "%2f")))
        return 0;
    i += rest_at(rest, i) == '/' ? 1 : 3;
    ident_put(out, '/');
    size_t bare = out->len;
    bool sici = false;
    while (i < rest.len && out->len < IDENT_NAME_MAX - 1) {
        char c = rest.at[i];
        if (ident_blank(c)) {
            size_t gap = doi_break(rest_from(rest, i), out->at[out->len - 1], out->len == bare);
            if (!gap)
                break;
            i += gap;
            continue;
        }
        if (c == '\\' && rest_at(rest, i + 1) == '_') {
            i++;            /* as TeX writes it */
            continue;
        }
        if (ends_doi(c, sici) || (url && (c == '?' || c == '#' || c == '&')))
            break;
        char coded = (char)(url ? percent(rest_from(rest, i)) : '\0');
        if (coded) {
            ident_put(out, coded);
            i += 3;
            continue;
        }
        ident_put(out, c);
        i++;
        sici = sici || (out->len >= 6 && memcmp(out->at + out->len - 6, "(sici)", 6) == 0);
    }
    ident_trim(out, &i);
    drop_version(out);
    return out->len > bare ? i : 0;
}

const char *bib_ident_doi_arxiv(const char *doi)
{
    static const char prefix[] = "10.48550/arxiv.";
    return strncasecmp(doi, prefix, sizeof(prefix) - 1) == 0 ? doi + sizeof(prefix) - 1 : NULL;
}
