/* markup_out.h - tags and texts as they are handed to the parser: see markup.h. */
#ifndef WR_EXTRACT_MARKUP_OUT_H
#define WR_EXTRACT_MARKUP_OUT_H

#include "extract/markup.h"

#define MARKUP_NAME 24              /* bytes of a tag that is passed on, with the zero byte */

/* Attributes that are asked for later; `style` only to see that something is not shown, `type`
 * only to know a script. */
enum {
    MARKUP_HIDDEN, MARKUP_STYLE, MARKUP_TYPE, MARKUP_OTHERS, MARKUP_WANTED = 17,
};
extern const char *const markup_wanted[MARKUP_WANTED];

struct markup_slice {
    const char *at;
    size_t len;
};

struct markup_tag {
    char name[MARKUP_NAME];         /* lower case; empty: too long to be known */
    bool end;
    bool empty;                     /* "<tag />" */
    struct markup_slice values[MARKUP_WANTED];      /* at NULL: it has none */
};

void markup_put_text(struct extract_markup *to, const char *at, size_t len);
void markup_put_tag(struct extract_markup *to, const struct markup_tag *tag);

/* No more is put; false: there was no memory for some of it. */
bool markup_put_end(struct extract_markup *to);

#endif
