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

wr_err bib_references_copy(struct bib_references *ret, struct wr_arena *arena,
                           const struct bib_references *from)
{
    struct bib_reference *to = wr_arena_grow(arena, from->at, from->count, from->count,
                                             sizeof(*to));
    for (size_t i = 0; to && i < from->count; i++) {
        const struct bib_work *work = bib_work_copy(arena, &from->at[i].work);
        if (!work)
            return WR_NOMEM;
        to[i].work = *work;
        to[i].key = text(arena, to[i].key);
        to[i].raw = text(arena, to[i].raw);
        to[i].skip = text(arena, to[i].skip);
    }
    *ret = (struct bib_references){ to, from->count };
    return to && !arena->full ? WR_OK : WR_NOMEM;
}
