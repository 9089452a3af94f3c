/* media.c - see media.h. */
#include "crawl/media.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

static const struct { const char *name; enum media_kind kind; } kinds[] = {
    { "text/html", MEDIA_HTML },
    { "application/xhtml+xml", MEDIA_XHTML },
    { "text/plain", MEDIA_PLAIN },
    { "application/pdf", MEDIA_PDF },
    { "application/x-pdf", MEDIA_PDF },
    /* What servers say of what they do not know. */
    { "application/octet-stream", MEDIA_UNKNOWN },
    { "binary/octet-stream", MEDIA_UNKNOWN },
};

#define BLANKS " \t"

static void read_charset(struct media *media, const char *at)
{
    size_t len = 0;
    char quote = '\0';
    if (*at == '"')
        quote = *at++;
    while (at[len] && at[len] != quote && !strchr("; \t", at[len]))
        len++;
    if (len >= sizeof(media->charset))
        return;                     /* no charset has such a name */
    for (size_t i = 0; i < len; i++) {
        media->charset[i] = at[i];
        if (at[i] >= 'A' && at[i] <= 'Z')
            media->charset[i] = (char)(at[i] | 0x20);
    }
}

struct media media_read(const char *header)
{
    struct media media = { 0 };
    if (!header)
        return media;
    header += strspn(header, BLANKS);
    size_t len = strcspn(header, "; \t");
    if (len == 0)
        return media;
    media.kind = MEDIA_OTHER;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strlen(kinds[i].name) == len && strncasecmp(header, kinds[i].name, len) == 0)
            media.kind = kinds[i].kind;
    for (const char *at = header + len; (at = strchr(at, ';'));) {
        at += 1 + strspn(at + 1, BLANKS);
        if (strncasecmp(at, "charset=", 8) == 0 && !media.charset[0])
            read_charset(&media, at + 8);
    }
    return media;
}

/* A tag that only a page begins with, after blanks and a mark of the byte order. */
static bool begins_as_page(const char *bytes, size_t len)
{
    static const char *const tags[] = { "<!doctype html", "<html", "<head", "<body", "<title",
                                        "<!--", "<script", "<meta", "<div", "<h1", "<p>" };
    size_t at = len >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    while (at < len && (bytes[at] == '\n' || bytes[at] == '\r' || bytes[at] == ' '
                        || bytes[at] == '\t'))
        at++;
    for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
        size_t size = strlen(tags[i]);
        if (len - at >= size && strncasecmp(bytes + at, tags[i], size) == 0)
            return true;
    }
    return false;
}

static bool is_text(const char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (c < ' ' && !(c >= '\t' && c <= '\r') && c != 0x1B)
            return false;
    }
    return true;
}

enum media_kind media_sniff(enum media_kind said, const char *bytes, size_t len)
{
    if (len > MEDIA_SNIFF)
        len = MEDIA_SNIFF;
    if (len >= 5 && memcmp(bytes, "%PDF-", 5) == 0)
        return MEDIA_PDF;
    if (said != MEDIA_UNKNOWN)
        return said;
    if (begins_as_page(bytes, len))
        return MEDIA_HTML;
    return is_text(bytes, len) ? MEDIA_PLAIN : MEDIA_OTHER;
}

const char *media_name(enum media_kind kind)
{
    switch (kind) {
    case MEDIA_HTML: return "text/html";
    case MEDIA_XHTML: return "application/xhtml+xml";
    case MEDIA_PLAIN: return "text/plain";
    case MEDIA_PDF: return "application/pdf";
    default: return "application/octet-stream";
    }
}
