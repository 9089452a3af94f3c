/* xml_in.c - see xml_in.h. */
#include "source/xml_in.h"

#include <expat.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct walk {
    const struct xml_in *in;
    XML_Parser parser;
    unsigned depth;
    bool refused;
    size_t len;
    char text[XML_IN_TEXT_MAX];
};

static const char *bare(const char *name)
{
    const char *colon = strrchr(name, ':');
    return colon ? colon + 1 : name;
}

static void on_begin(void *self, const XML_Char *name, const XML_Char **attributes)
{
    struct walk *walk = self;
    walk->len = 0;
    if (++walk->depth > XML_IN_DEPTH_MAX) {
        walk->refused = true;
        XML_StopParser(walk->parser, XML_FALSE);
    } else if (walk->in->begin) {
        walk->in->begin(walk->in->self, bare(name), (const char *const *)attributes);
    }
}

static void on_end(void *self, const XML_Char *name)
{
    struct walk *walk = self;
    walk->depth--;
    if (walk->in->end && !walk->refused)
        walk->in->end(walk->in->self, bare(name), walk->text, walk->len);
    walk->len = 0;
}

static void on_text(void *self, const XML_Char *text, int len)
{
    struct walk *walk = self;
    size_t room = sizeof(walk->text) - walk->len, size = (size_t)len;
    size = size < room ? size : room;
    memcpy(walk->text + walk->len, text, size);
    walk->len += size;
}

static void on_doctype(void *self, const XML_Char *name, const XML_Char *system,
                       const XML_Char *public, int inside)
{
    struct walk *walk = self;
    (void)name;
    (void)system;
    (void)public;
    (void)inside;
    walk->refused = true;
    XML_StopParser(walk->parser, XML_FALSE);
}

const char *xml_in_attribute(const char *const *attributes, const char *name)
{
    for (; attributes && attributes[0]; attributes += 2)
        if (strcmp(attributes[0], name) == 0)
            return attributes[1];
    return NULL;
}

wr_err xml_in_read(const char *bytes, size_t len, const struct xml_in *in)
{
    if (len > INT_MAX)
        return WR_IO;
    struct walk *walk = calloc(1, sizeof(*walk));
    XML_Parser parser = walk ? XML_ParserCreate("UTF-8") : NULL;
    if (!parser) {
        free(walk);
        return WR_NOMEM;
    }
    walk->in = in;
    walk->parser = parser;
    XML_SetUserData(parser, walk);
    XML_SetElementHandler(parser, on_begin, on_end);
    XML_SetCharacterDataHandler(parser, on_text);
    XML_SetStartDoctypeDeclHandler(parser, on_doctype);
    bool read = XML_Parse(parser, bytes, (int)len, XML_TRUE) == XML_STATUS_OK;
    bool no_memory = XML_GetErrorCode(parser) == XML_ERROR_NO_MEMORY;
    XML_ParserFree(parser);
    free(walk);
    return read ? WR_OK : no_memory ? WR_NOMEM : WR_IO;
}
