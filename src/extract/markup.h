/* markup.h - the markup of a page, made small and safe to build a tree from.
 *
 *     struct extract_markup markup;
 *     err = extract_markup(&markup, text, len);        (UTF-8, any bytes; it must stay)
 *     html_tree_build(&tree, &markup);
 *     ...
 *     extract_markup_free(&markup);
 *
 * A parser of HTML must do what a browser does, and that can be made to take the square of the
 * page: a million open tags, each of which is looked at for every further one; tags that a
 * parser repeats in each paragraph; a million attributes, each compared with all others.  So
 * what comes out here has at most EXTRACT_MARKUP_TAGS tags, of which at most
 * EXTRACT_MARKUP_DEPTH are open at once, with the few attributes that are asked for later, and
 * none of the tags that only say how letters look.  Scripts, styles, drawings and comments are
 * gone.  An ordinary page loses nothing by it.
 *
 * A parser also looks at every letter, which takes most of its time and changes nothing.  So it
 * gets signs that stand for texts and for the attributes of a tag: characters of the planes 15
 * and 16, which are for private use, and which a page therefore cannot have of its own: such of
 * them as it has become U+FFFD.  Only entities, and values with them, are left for the parser.
 *
 * It takes one pass and no more than a few times the memory of the page.
 */
#ifndef WR_EXTRACT_MARKUP_H
#define WR_EXTRACT_MARKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>

#include "base/text.h"

#define EXTRACT_MARKUP_DEPTH 256        /* tags open at once */
#define EXTRACT_MARKUP_TAGS 100000      /* in all */
#define EXTRACT_MARKUP_VALUE 2048       /* bytes of an attribute; a longer one is left out */
#define EXTRACT_MARKUP_DATE 40          /* bytes of a date in a script, with the zero byte */

/* A text of the page, in there. */
struct markup_piece {
    const char *at;
    size_t len;
    bool used;                          /* a sign stands for it once */
};

struct markup_attribute {
    const char *name;
    const char *value;                  /* with a zero byte */
    size_t at;                          /* of it, in `values` */
};

/* The attributes of one tag. */
struct markup_attributes {
    size_t first;
    size_t count;
};

#define MARKUP_SIGNS 131068u            /* that there are */

struct extract_markup {
    struct wr_text text;
    struct markup_piece *pieces;        /* that signs in texts stand for */
    size_t piece_count, piece_room;
    struct markup_attributes *elements; /* that signs in tags stand for */
    size_t element_count, element_room;
    struct markup_attribute *attributes;
    size_t attribute_count, attribute_room;
    struct wr_text values;
    bool no_memory;
    uint32_t tags;                      /* that are in it */
    uint32_t scripts;                   /* that are not in it any more */
    size_t script_len;                  /* bytes in those */
    char published[EXTRACT_MARKUP_DATE];    /* "datePublished" of a JSON-LD script; or empty */
    bool asks_for_scripts;              /* in words to those who have none */
    bool cut;                           /* tags are missing: too many, or too deep */
};

/* Errors: NOMEM. */
wr_err extract_markup(struct extract_markup *ret, const char *text, size_t len);
void extract_markup_free(struct extract_markup *markup);

/* The number that the sign at `at` stands for, if there is one: its length in bytes, or 0. */
size_t extract_markup_sign(const char *at, uint32_t *ret);

/* The only attribute that a tag gets when a sign stands for its others. */
#define MARKUP_SIGN_NAME "i"

#endif
