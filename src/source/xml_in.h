/* xml_in.h - XML that somebody sent, as a walk over its elements.
 *
 *     err = xml_in_read(bytes, len, &(struct xml_in){ .end = on_end, .self = &entry });
 *
 * An element is told when it begins, with its attributes, and when it ends, with the text that
 * stands in it directly before its end.  Names come without prefixes.  A document that defines
 * entities of its own is refused whole, and so is one that nests deeper than XML_IN_DEPTH_MAX:
 * no answer needs either.
 */
#ifndef WR_SOURCE_XML_IN_H
#define WR_SOURCE_XML_IN_H

#include <stddef.h>

#include <weir/err.h>

#define XML_IN_DEPTH_MAX 40
#define XML_IN_TEXT_MAX 8192        /* of one element; what comes after is left out */

struct xml_in {
    /* attributes: name, value, ..., NULL */
    void (*begin)(void *self, const char *name, const char *const *attributes);
    void (*end)(void *self, const char *name, const char *text, size_t len);
    void *self;
};

/* The value of an attribute; NULL: it has none. */
const char *xml_in_attribute(const char *const *attributes, const char *name);

/* Errors: IO (it is not well formed, or refused), NOMEM. */
wr_err xml_in_read(const char *bytes, size_t len, const struct xml_in *in);

#endif
