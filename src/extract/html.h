/* html.h - what a page says: its main text in paragraphs, where that links to, and what the
 * page states about itself.
 *
 *     struct wr_arena arena = WR_ARENA(EXTRACT_HTML_ARENA);
 *     struct extract_page page;
 *     err = extract_html(&page, bytes, size, &(struct extract_html_conf){
 *         .url = "https://example.org/a", .charset = "utf-8" }, &arena);
 *     for (size_t i = 0; i < page.paragraph_count; i++)
 *         ... page.paragraphs[i].text, page.paragraphs[i].heading
 *     wr_arena_free(&arena);
 *
 * Any bytes are a page, as they are to a browser: of what makes no sense something is read, and
 * nothing here can be made to take long, much memory or much of a stack by what is in them.
 *
 * It computes: a fiber calls it through wr_offload.  It keeps nothing and knows no fibers.
 */
#ifndef WR_EXTRACT_HTML_H
#define WR_EXTRACT_HTML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>

#include "base/arena.h"

#define EXTRACT_HTML_MAX ((size_t)16 << 20)     /* bytes of a page; more are not looked at */
#define EXTRACT_HTML_ARENA ((size_t)64 << 20)   /* what the largest page may need */
#define EXTRACT_HTML_PARAGRAPHS 20000
#define EXTRACT_HTML_LINKS 2000
#define EXTRACT_HTML_AUTHORS 64
#define EXTRACT_HTML_SHORTEST 20    /* letters of a paragraph; ten signs of Chinese too */
#define EXTRACT_HTML_GROUP 1000     /* bytes of rows or items that are one paragraph */
#define EXTRACT_HTML_CONTEXT 500    /* bytes around a link */
#define EXTRACT_HTML_HEADING 300    /* bytes of a heading */

struct extract_html_conf {
    const char *url;                /* of the page, for links; or NULL */
    const char *charset;            /* as its server says; or NULL */
};

/* A paragraph, the lines of a list or of a table, or a piece of code. */
struct extract_paragraph {
    const char *text;               /* in `main`; no zero byte behind it */
    size_t len;
    size_t offset;                  /* of the text in `main` */
    const char *heading;            /* what it stands under; or NULL */
    const char *const *path;        /* all headings above it, from the outermost on */
    uint32_t path_len;
};

struct extract_link {
    const char *url;                /* absolute, http or https; no link to the page itself */
    const char *text;               /* what is underlined */
    const char *context;            /* the sentence that it stands in */
    size_t offset;                  /* of the text in `main` */
};

/* What publishers state for indexes of literature (citation_*); NULL where they do not. */
struct extract_citation {
    const char *doi, *title, *pdf_url;
    const char *authors[EXTRACT_HTML_AUTHORS];
    uint32_t author_count;
};

struct extract_page {
    const char *title;              /* these are NULL where the page has none */
    const char *language;           /* as stated: "en", "pt-BR" */
    const char *canonical;          /* absolute */
    const char *description;
    const char *published;          /* as much of 2001-02-03 as is stated */
    const char *charset;            /* what the bytes were: "UTF-8", "SHIFT_JIS" */
    struct extract_citation citation;
    bool noindex, nofollow;         /* robots shall not keep it, not follow it */
    bool needs_scripts;             /* next to no text, and scripts that would write some */
    bool cut;                       /* it was too long, too deep or had too much in it */

    const char *main;               /* UTF-8; paragraphs and headings, an empty line between */
    size_t main_len;
    struct extract_paragraph *paragraphs;       /* short ones are in `main` alone */
    size_t paragraph_count;
    struct extract_link *links;     /* in `main`, each address once */
    size_t link_count;
};

/* Everything in *ret lies in the arena.  Errors: NOMEM (also: the arena is full). */
wr_err extract_html(struct extract_page *ret, const char *bytes, size_t size,
                    const struct extract_html_conf *conf, struct wr_arena *arena);

#endif
