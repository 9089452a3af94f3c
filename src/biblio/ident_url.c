/* ident_url.c - addresses, repaired where a line or a PDF broke them. */
#include "biblio/ident_int.h"

/* "http://" and "https://", also with the blanks that some PDFs put into it. */
static size_t match_scheme(struct rest rest, struct wr_text *out)
{
    size_t i = 0;
    for (const char *c = "http"; *c; c++, i++) {
        if (c[0] != 'h')
            i += rest_blanks(rest_from(rest, i));
        if ((rest_at(rest, i) | 32) != *c)
            return 0;
    }
    size_t gap = rest_blanks(rest_from(rest, i));
    bool secure = (rest_at(rest, i + gap) | 32) == 's';
    if (secure)
        i += gap + 1;
    for (const char *c = "://"; *c; c++, i++) {
        i += rest_blanks(rest_from(rest, i));
        if (rest_at(rest, i) != *c)
            return 0;
    }
    wr_text_str(out, secure ? "https://" : "http://");
    return i + rest_blanks(rest_from(rest, i));
}

static bool in_url(char c)
{
    unsigned char u = (unsigned char)c;
    return u > ' ' && u < 0x7f && !strchr("<>\"{}|^`", c);
}

/* Whether the next word reads like a piece of an address, not like a word. */
static bool is_piece(struct rest rest)
{
    size_t len = 0, marks = 0;
    for (; len < rest.len && in_url(rest.at[len]); len++)
        marks += rest.at[len] == '/' || rest.at[len] == '_' || rest.at[len] == '=' ||
                 rest.at[len] == '-' || rest.at[len] == '%' || ident_digit(rest.at[len]) ||
                 (rest.at[len] == '.' && ident_alnum(rest_at(rest, len + 1)));
    return marks > 0;
}

static bool begins_another(struct rest rest)
{
    return rest_word(rest, "http") || rest_word(rest, "www.") || rest_word(rest, "doi") ||
           rest_word(rest, "arxiv") || rest_word(rest, "isbn") || rest_is_year(rest);
}

static size_t url_break(struct rest rest, char last)
{
    size_t gap = rest_blanks(rest);
    struct rest next = rest_from(rest, gap);
    char c = rest_at(next, 0);
    bool small = (c >= 'a' && c <= 'z') || ident_digit(c);
    if (begins_another(next))
        return 0;
    if (rest_newline(rest, gap)) {
        if (strchr("/-_=?&%#", last))
            return ident_alnum(c) || (c && strchr("-_/~%?", c)) ? gap : 0;
        return c == '/' || (small && !ident_digit(c) && is_piece(next)) ||
                       (last == '.' && small && is_piece(next))
                   ? gap
                   : 0;
    }
    return strchr("/-_=?&", last) && small && is_piece(next) ? gap : 0;
}

size_t ident_match_url(struct rest rest, struct wr_text *out)
{
    size_t i = match_scheme(rest, out);
    if (!i && (i = rest_word(rest, "www.")))
        wr_text_bytes(out, rest.at, i);
    size_t host = out->len;
    while (i && i < rest.len && out->len < IDENT_URL_MAX - 1) {
        char c = rest.at[i];
        if (ident_blank(c)) {
            char last = out->at[out->len - 1];
            size_t gap = out->len > host ? url_break(rest_from(rest, i), last) : 0;
            if (!gap)
                break;
            i += gap;
            continue;
        }
        if (!in_url(c))
            break;
        if (c != '\\')
            wr_text_bytes(out, &c, 1);
        i++;
    }
    if (!i || out->len == host)
        return 0;
    ident_trim(out, &i);
    return out->len > host && memchr(out->at, '.', out->len) ? i : 0;
}
