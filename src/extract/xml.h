/* xml.h - XML read once from front to back, with names as they are without their prefix.
 *
 *     static void start(void *arg, const char *name, const char *const *attributes) { ... }
 *     static void end(void *arg, const char *name) { ... }
 *     static void text(void *arg, const char *bytes, size_t len) { ... }
 *     err = extract_xml(bytes, size, &(struct extract_xml){ start, end, text }, &arg, &line);
 *
 * Any bytes may come in.  Entities of a document's own are not taken: nothing that is read here
 * has any, and they are how a small file becomes a large one.
 */
#ifndef WR_EXTRACT_XML_H
#define WR_EXTRACT_XML_H

#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>

/* Attributes: name, value, name, value, NULL; also without prefixes. */
struct extract_xml {
    void (*start)(void *arg, const char *name, const char *const *attributes);
    void (*end)(void *arg, const char *name);
    void (*text)(void *arg, const char *bytes, size_t len);
};

/* *ret_line is where it ended: the line of the mistake, if there is one.
 * Errors: INVALID (not well formed), NOMEM. */
wr_err extract_xml(const char *bytes, size_t size, const struct extract_xml *reader, void *arg,
                   uint32_t *ret_line);

/* The value of an attribute, or NULL. */
const char *extract_xml_attribute(const char *const *attributes, const char *name);

#endif
