/* link.c - where a person can look a work up. */
#include <string.h>
#include <strings.h>

#include <weir/panic.h>

#include "svc/check/glyph.h"
#include "svc/check/link.h"

#define QUERY_MAX 300           /* bytes of a title that are searched for */

static bool is_kept(char c, const char *more)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
        || (c && strchr(more, c));
}

/* Letters, digits and what is in `more` stay. */
static void encode(struct wr_text *ret, const char *bytes, size_t len, const char *more)
{
    for (size_t i = 0; i < len; i++) {
        if (is_kept(bytes[i], more))
            wr_text_bytes(ret, bytes + i, 1);
        else
            wr_text_format(ret, "%%%02X", (unsigned char)bytes[i]);
    }
}

static void encode_query(struct wr_text *ret, const char *text)
{
    size_t len = 0;
    while (*text) {
        struct check_glyph glyph = check_glyph_next(&text);
        len += glyph.len;
        if (len > QUERY_MAX)
            return;
        encode(ret, glyph.bytes, glyph.len, "-._~");
    }
}

const char *check_link_name(enum check_link link)
{
    static const char *const names[] = { "DOI", "arXiv", "Google Scholar" };
    WR_ASSERT(link < CHECK_LINK_COUNT);
    return names[link];
}

bool check_link_to(struct wr_text *ret, enum check_link link, const struct bib_work *work)
{
    static const char *const begins[] = {
        "https://doi.org/", "https://arxiv.org/abs/", "https://scholar.google.com/scholar?q=",
    };
    WR_ASSERT(link < CHECK_LINK_COUNT);
    const char *what = link == CHECK_LINK_DOI ? work->doi
        : link == CHECK_LINK_ARXIV            ? work->arxiv_id
                                              : work->title;
    if (!what || !*what)
        return false;
    wr_text_str(ret, begins[link]);
    if (link == CHECK_LINK_SCHOLAR)
        encode_query(ret, what);
    else
        encode(ret, what, strlen(what), "-._~/:;");
    return true;
}

bool check_link_given(struct wr_text *ret, const char *url)
{
    if (!url || (strncasecmp(url, "http://", 7) != 0 && strncasecmp(url, "https://", 8) != 0))
        return false;
    encode(ret, url, strlen(url), "-._~:/?#@!$&*+,;=%[]");
    return true;
}

void check_link_file(struct wr_text *ret, const char *file)
{
    if (!file || !*file || strcmp(file, "-") == 0)
        file = "stdin";
    while (strncmp(file, "./", 2) == 0)
        file += 2;
    const char *last = strrchr(file, '/');
    if (*file == '/')
        file = last + 1;
    encode(ret, file, strlen(file), "-._~/");
}
