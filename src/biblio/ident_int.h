/* ident_int.h - the matchers behind ident.h.
 *
 * A matcher looks at what is left of a text, writes the canonical name to `out` and returns
 * how many bytes it has taken.  0: here is none, and what `out` holds means nothing.
 */
#ifndef WR_BIBLIO_IDENT_INT_H
#define WR_BIBLIO_IDENT_INT_H

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

#define IDENT_NAME_MAX 256      /* of anything but an address */
#define IDENT_URL_MAX 2048

/* What is left of the text, from here. */
struct rest {
    const char *at;
    size_t len;
};

static inline struct rest rest_from(struct rest rest, size_t used)
{
    return (struct rest){ rest.at + used, rest.len - used };
}

static inline char rest_at(struct rest rest, size_t i)
{
    return (char)(i < rest.len ? rest.at[i] : '\0');
}

static inline bool ident_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool ident_alnum(char c)
{
    return isalnum((unsigned char)c) && !((unsigned char)c & 0x80);
}

static inline bool ident_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline size_t rest_blanks(struct rest rest)
{
    size_t i = 0;
    while (i < rest.len && ident_blank(rest.at[i]))
        i++;
    return i;
}

static inline size_t rest_digits(struct rest rest)
{
    size_t i = 0;
    while (i < rest.len && ident_digit(rest.at[i]))
        i++;
    return i;
}

/* The length of `word` when the text begins with it, in any case; else 0. */
static inline size_t rest_word(struct rest rest, const char *word)
{
    size_t len = strlen(word);
    return rest.len >= len && strncasecmp(rest.at, word, len) == 0 ? len : 0;
}

static inline size_t rest_any_of(struct rest rest, const char *set)
{
    size_t i = 0;
    while (i < rest.len && rest.at[i] && strchr(set, rest.at[i]))
        i++;
    return i;
}

static inline void ident_put(struct wr_text *out, char c)
{
    char lower = (char)(c >= 'A' && c <= 'Z' ? c | 32 : c);
    wr_text_bytes(out, &lower, 1);
}

static inline bool rest_newline(struct rest rest, size_t len)
{
    return memchr(rest.at, '\n', len) != NULL;
}

/* "2019", and not the beginning of a longer number: what follows a finished DOI. */
static inline bool rest_is_year(struct rest rest)
{
    return rest_digits(rest) == 4 && (rest_word(rest, "19") || rest_word(rest, "20")) &&
           !(rest_at(rest, 4) == '.' && ident_digit(rest_at(rest, 5))) &&
           !ident_alnum(rest_at(rest, 4));
}

/* A DOI that begins here with "10.".  `marked`: "doi" stood before it, so a blank inside its
 * first part is a slip of the typesetter.  `url`: it is part of an address. */
size_t ident_match_doi(struct rest rest, struct wr_text *out, bool marked, bool url);

/* With its marker ("arXiv:", "CoRR abs/", "hep-th/"), as an address, and the number alone. */
size_t ident_match_arxiv(struct rest rest, struct wr_text *out);
size_t ident_match_arxiv_address(struct rest rest, struct wr_text *out);
size_t ident_match_arxiv_id(struct rest rest, struct wr_text *out);

/* "https://...", "www...." */
size_t ident_match_url(struct rest rest, struct wr_text *out);

size_t ident_match_pmid(struct rest rest, struct wr_text *out);
size_t ident_match_pmc(struct rest rest, struct wr_text *out);
size_t ident_match_isbn(struct rest rest, struct wr_text *out);
size_t ident_match_rfc(struct rest rest, struct wr_text *out);
size_t ident_match_eprint(struct rest rest, struct wr_text *out);
size_t ident_match_acl(struct rest rest, struct wr_text *out);

/* Take from the end what belongs to the sentence: stops, and brackets never opened. */
void ident_trim(struct wr_text *out, size_t *used);

#endif
