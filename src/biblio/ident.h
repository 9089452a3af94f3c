/* ident.h - the names by which others know a work: DOI, arXiv number and their like.
 *
 *     struct bib_ident found[BIB_IDENT_MAX];
 *     size_t count = bib_ident_find(found, BIB_IDENT_MAX, raw, strlen(raw), &arena);
 *     ... found[0].kind == BIB_DOI, found[0].value: "10.1145/3658644.3691333"
 *
 * They are found in raw text, also where a line breaks inside one, and are made canonical,
 * so that two that name the same are the same bytes.  Whether a work with this name exists
 * is another question; whether the name is possible at all is answered here.
 *
 * Any bytes may come in.  Values lie in the arena; when it is full, no more are found.
 */
#ifndef WR_BIBLIO_IDENT_H
#define WR_BIBLIO_IDENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

enum bib_ident_kind {
    BIB_DOI,        /* "10.1000/xyz": lower case; without the version, where it is arXiv's */
    BIB_ARXIV,      /* "2403.00108", "math/0309136": lower case, no subject class, no version */
    BIB_URL,        /* repaired where it was broken; as written otherwise */
    BIB_PMID,       /* "31452104" */
    BIB_PMC,        /* "pmc6993921" */
    BIB_ISBN,       /* ten or thirteen digits; the check digit is right */
    BIB_RFC,        /* "8446" */
    BIB_EPRINT,     /* IACR: "2019/123" */
    BIB_ACL,        /* ACL Anthology: "p19-1001", "2020.acl-main.1" */
};

/* A reference with more of them is none. */
#define BIB_IDENT_MAX 32

struct bib_ident {
    enum bib_ident_kind kind;
    const char *value;
    size_t at, len;         /* where it stands in the text, with its "doi:" or "https://" */
};

/* All of them in the order of the text, at most `max`.  An address that only leads to a DOI
 * or an arXiv number is that; any other address is a BIB_URL, and what it contains follows
 * it with the same place. */
size_t bib_ident_find(struct bib_ident *ret, size_t max, const char *text, size_t len,
                      struct wr_arena *arena);

/* What a field says that is meant to hold one ("https://doi.org/10.1000/X", "10.1000/x");
 * NULL: it is none, or the arena is full. */
const char *bib_ident_doi(struct wr_arena *arena, const char *text);
const char *bib_ident_arxiv(struct wr_arena *arena, const char *text);

/* The arXiv number that a DOI of arXiv contains: it points into `doi`.  Else NULL. */
const char *bib_ident_doi_arxiv(const char *doi);

/* Whether arXiv can have given out this number by then: the month exists, is not before the
 * beginning nor in the future, and has as many digits as were usual. */
bool bib_ident_arxiv_possible(const char *id, int year, int month);

#endif
