/* media.h - what kind of thing an answer is, by what is said of it and how it begins.
 *
 *     struct media media = media_read("text/html; charset=windows-1252");
 *     media.kind = media_sniff(media.kind, bytes, len);
 *     if (media.kind == MEDIA_OTHER) ...nothing that is read here
 */
#ifndef WR_CRAWL_MEDIA_H
#define WR_CRAWL_MEDIA_H

#include <stddef.h>

#define MEDIA_CHARSET_MAX 40
#define MEDIA_SNIFF 1024            /* bytes that are enough to tell */

enum media_kind {
    MEDIA_UNKNOWN,                  /* nothing was said */
    MEDIA_OTHER,                    /* nothing that is read here */
    MEDIA_HTML,
    MEDIA_XHTML,
    MEDIA_PLAIN,
    MEDIA_PDF,
};

struct media {
    enum media_kind kind;
    char charset[MEDIA_CHARSET_MAX];    /* in lower case; empty: not said */
};

/* Read a Content-Type; NULL: there is none. */
struct media media_read(const char *header);

/* What it is, with its first MEDIA_SNIFF bytes at hand.  What was said holds, but that a PDF is
 * one is seen whatever was said, and of what nothing is known all is seen. */
enum media_kind media_sniff(enum media_kind said, const char *bytes, size_t len);

/* "text/html"; of unknown and other "application/octet-stream". */
const char *media_name(enum media_kind kind);

#endif
