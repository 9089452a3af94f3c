/* work.c - copies of works. */
#include "biblio/work.h"

static const char *text(struct wr_arena *arena, const char *from)
{
    return from ? wr_arena_str(arena, from) : NULL;
}

struct bib_work *bib_work_copy(struct wr_arena *arena, const struct bib_work *from)
{
    struct bib_work *to = wr_arena_grow(arena, from, 1, 1, sizeof(*to));
    struct bib_name *authors = wr_arena_grow(arena, from->authors, from->author_count,
                                             from->author_count, sizeof(*authors));
    const char **urls = wr_arena_grow(arena, from->urls, from->url_count, from->url_count,
                                      sizeof(*urls));
    if (!to || !authors || !urls)
        return NULL;
    to->title = text(arena, from->title);
    to->venue = text(arena, from->venue);
    to->volume = text(arena, from->volume);
    to->pages = text(arena, from->pages);
    to->doi = text(arena, from->doi);
    to->arxiv_id = text(arena, from->arxiv_id);
    for (uint32_t i = 0; i < from->author_count; i++)
        authors[i] = (struct bib_name){ text(arena, authors[i].family),
                                        text(arena, authors[i].given) };
    for (uint32_t i = 0; i < from->url_count; i++)
        urls[i] = text(arena, urls[i]);
    to->authors = authors;
    to->urls = urls;
    return arena->full ? NULL : to;
}
