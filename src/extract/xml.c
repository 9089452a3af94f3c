/* xml.c - XML by expat, without prefixes and without entities of its own. */
#include "extract/xml.h"

#include <expat.h>
#include <limits.h>
#include <string.h>

#define PIECE_MAX ((size_t)1 << 20)     /* bytes that are handed on at once */

struct parse {
    XML_Parser parser;
    const struct extract_xml *reader;
    void *arg;
};

static const char *local(const char *name)
{
    const char *colon = strrchr(name, ':');
    return colon ? colon + 1 : name;
}

const char *extract_xml_attribute(const char *const *attributes, const char *name)
{
    for (; attributes[0]; attributes += 2)
        if (strcmp(local(attributes[0]), name) == 0)
            return attributes[1];
    return NULL;
}

static void on_start(void *arg, const XML_Char *name, const XML_Char **attributes)
{
    struct parse *parse = arg;
    parse->reader->start(parse->arg, local(name), attributes);
}

static void on_end(void *arg, const XML_Char *name)
{
    struct parse *parse = arg;
    parse->reader->end(parse->arg, local(name));
}

static void on_text(void *arg, const XML_Char *bytes, int len)
{
    struct parse *parse = arg;
    parse->reader->text(parse->arg, bytes, (size_t)len);
}

static void on_entity(void *arg, const XML_Char *name, int is_parameter, const XML_Char *value,
                      int len, const XML_Char *base, const XML_Char *system,
                      const XML_Char *public_id, const XML_Char *notation)
{
    struct parse *parse = arg;
    (void)name, (void)is_parameter, (void)value, (void)len, (void)base, (void)system;
    (void)public_id, (void)notation;
    XML_StopParser(parse->parser, XML_FALSE);
}

wr_err extract_xml(const char *bytes, size_t size, const struct extract_xml *reader, void *arg,
                   uint32_t *ret_line)
{
    struct parse parse = { .parser = XML_ParserCreate(NULL), .reader = reader, .arg = arg };
    *ret_line = 0;
    if (!parse.parser)
        return WR_NOMEM;
    XML_SetUserData(parse.parser, &parse);
    XML_SetElementHandler(parse.parser, on_start, on_end);
    XML_SetCharacterDataHandler(parse.parser, on_text);
    XML_SetEntityDeclHandler(parse.parser, on_entity);
    enum XML_Status status;
    size_t piece;
    do {
        piece = size < PIECE_MAX ? size : PIECE_MAX;
        status = XML_Parse(parse.parser, bytes, (int)piece, piece == size);
        bytes += piece;
        size -= piece;
    } while (status == XML_STATUS_OK && size > 0);
    bool no_memory = XML_GetErrorCode(parse.parser) == XML_ERROR_NO_MEMORY;
    *ret_line = (uint32_t)XML_GetCurrentLineNumber(parse.parser);
    XML_ParserFree(parse.parser);
    return status == XML_STATUS_OK ? WR_OK : no_memory ? WR_NOMEM : WR_INVALID;
}
