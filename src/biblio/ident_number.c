/* ident_number.c - the identifiers that are a number behind a word. */
#include "biblio/ident_int.h"

size_t ident_match_pmid(struct rest rest, struct wr_text *out)
{
    size_t i = rest_word(rest, "pmid");
    if (!i && (i = rest_word(rest, "pubmed.ncbi.nlm.nih.gov/")) == 0)
        i = rest_word(rest, "ncbi.nlm.nih.gov/pubmed/");
    if (!i)
        return 0;
    i += rest_any_of(rest_from(rest, i), ": \n");
    size_t count = rest_digits(rest_from(rest, i));
    if (count < 4 || count > 9)
        return 0;
    wr_text_bytes(out, rest.at + i, count);
    return i + count;
}

size_t ident_match_pmc(struct rest rest, struct wr_text *out)
{
    size_t i = rest_word(rest, "pmc"), count = rest_digits(rest_from(rest, i));
    if (!i || count < 4 || count > 9)
        return 0;
    wr_text_str(out, "pmc");
    wr_text_bytes(out, rest.at + i, count);
    return i + count;
}

static bool isbn_holds(const char *at, size_t len)
{
    unsigned sum = 0;
    for (size_t i = 0; i < len; i++) {
        unsigned digit = at[i] == 'x' ? 10 : (unsigned)(at[i] - '0');
        sum += len == 10 ? digit * (unsigned)(10 - i) : digit * (i % 2 ? 3 : 1);
    }
    return len == 10 ? sum % 11 == 0 : len == 13 && sum % 10 == 0;
}

size_t ident_match_isbn(struct rest rest, struct wr_text *out)
{
    size_t i = rest_word(rest, "isbn");
    if (!i)
        return 0;
    size_t sort = rest_word(rest_from(rest, i), "-13");
    i += sort ? sort : rest_word(rest_from(rest, i), "-10");
    i += rest_any_of(rest_from(rest, i), ": \n");
    for (; i < rest.len && out->len < 13; i++) {
        char c = rest.at[i];
        if (ident_digit(c) || (out->len == 9 && (c | 32) == 'x'))
            ident_put(out, c);
        else if (c != '-' && c != ' ')
            break;
        if (out->len == 10 && !ident_digit(rest_at(rest, i + 1)) && rest_at(rest, i + 1) != '-')
            break;
    }
    i += i < rest.len && out->len == 10;
    return isbn_holds(out->at, out->len) ? i : 0;
}

size_t ident_match_rfc(struct rest rest, struct wr_text *out)
{
    size_t i = rest_word(rest, "rfc");
    if (!i)
        return 0;
    i += rest_any_of(rest_from(rest, i), " -:\n0");
    size_t count = rest_digits(rest_from(rest, i));
    if (count < 1 || count > 5 || ident_alnum(rest_at(rest, i + count)))
        return 0;
    wr_text_bytes(out, rest.at + i, count);
    return i + count;
}

/* "Cryptology ePrint Archive, Report 2019/123", "eprint.iacr.org/2019/123" */
size_t ident_match_eprint(struct rest rest, struct wr_text *out)
{
    size_t i = rest_word(rest, "eprint.iacr.org/");
    if (!i && (i = rest_word(rest, "eprint"))) {
        i += rest_any_of(rest_from(rest, i), " \n");
        i += rest_word(rest_from(rest, i), "archive");
        i += rest_any_of(rest_from(rest, i), ",.:( \n");
        size_t sort = rest_word(rest_from(rest, i), "report");
        i += sort ? sort : rest_word(rest_from(rest, i), "paper");
        i += rest_any_of(rest_from(rest, i), ": \n");
    }
    size_t serial = i + 5 <= rest.len ? rest_digits(rest_from(rest, i + 5)) : 0;
    if (!i || rest_digits(rest_from(rest, i)) != 4 || rest_at(rest, i + 4) != '/')
        return 0;
    if (!serial || serial > 5)
        return 0;
    wr_text_bytes(out, rest.at + i, 5 + serial);
    return i + 5 + serial;
}

size_t ident_match_acl(struct rest rest, struct wr_text *out)
{
    size_t i = rest_word(rest, "aclanthology.org/");
    if (!i)
        i = rest_word(rest, "aclweb.org/anthology/");
    if (!i)
        return 0;
    i += rest_word(rest_from(rest, i), "papers/");
    while (ident_alnum(rest_at(rest, i)) || rest_at(rest, i) == '-' ||
           (rest_at(rest, i) == '.' && !rest_word(rest_from(rest, i), ".pdf") &&
            !rest_word(rest_from(rest, i), ".bib") && ident_alnum(rest_at(rest, i + 1))))
        ident_put(out, rest.at[i++]);
    return memchr(out->at, '-', out->len) ? i : 0;
}
