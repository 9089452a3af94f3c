/* scholar_read.c - see scholar_read.h. */
#include "source/scholar_read.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "source/reading.h"

#define WORDS_MAX 4096                  /* of an abstract: positions that are looked at */
#define ABSTRACT_MAX 8192               /* bytes */

/* ---- parts ---- */

static int64_t count_at(const json_t *item, const char *path)
{
    const json_t *count = reading_at(item, path);
    return json_is_integer(count) && json_integer_value(count) >= 0 ? json_integer_value(count)
                                                                    : -1;
}

/* What follows the last slash, if it is made of these and as long as may be. */
static const char *last_part(const char *text, const char *of, size_t max)
{
    const char *slash = text ? strrchr(text, '/') : NULL;
    const char *part = slash ? slash + 1 : text;
    size_t len = part ? strlen(part) : 0;
    return len > 0 && len <= max && strspn(part, of) == len ? part : NULL;
}

/* "https://openalex.org/W2741809807" */
static const char *openalex_id(const char *text)
{
    const char *id = last_part(text, "W0123456789", 20);
    return id && id[0] == 'W' && strspn(id + 1, "0123456789") == strlen(id + 1) && id[1] ? id
                                                                                        : NULL;
}

static const char *semantic_scholar_id(const char *text)
{
    return text && strlen(text) == 40 && strspn(text, "0123456789abcdef") == 40 ? text : NULL;
}

static const char *address_at(struct source_reading *reading, const json_t *item,
                              const char *path)
{
    const char *address = reading_str(reading, item, path);
    return address && (strncmp(address, "https://", 8) == 0
                       || strncmp(address, "http://", 7) == 0) ? address : NULL;
}

static void read_authors(struct source_reading *reading, struct scholar_paper *paper,
                         const json_t *list, const char *path)
{
    size_t count = json_array_size(list), i;
    const json_t *author;
    if (count > SCHOLAR_AUTHORS_MAX)
        count = SCHOLAR_AUTHORS_MAX;
    const char **authors = wr_arena_alloc(reading->arena, (count + 1) * sizeof(*authors));
    if (!authors)
        return;
    json_array_foreach((json_t *)list, i, author)
    {
        const char *name = i < count ? reading_str(reading, author, path) : NULL;
        if (name)
            authors[paper->author_count++] = name;
    }
    paper->authors = authors;
}

/* ---- abstracts ---- */

static void place_word(const char **words, const char *word, const json_t *positions)
{
    size_t i;
    const json_t *position;
    json_array_foreach((json_t *)positions, i, position)
    {
        json_int_t at = json_is_integer(position) ? json_integer_value(position) : -1;
        if (at >= 0 && at < WORDS_MAX && !words[at])
            words[at] = word;
    }
}

/* OpenAlex tells of each word where it stands, and not the text. */
static const char *rebuild(struct source_reading *reading, const json_t *index)
{
    const char *word, *abstract = NULL;
    json_t *positions;
    if (!json_is_object(index) || json_object_size(index) == 0)
        return NULL;
    const char **words = calloc(WORDS_MAX, sizeof(*words));
    struct wr_text text = wr_text_heap(ABSTRACT_MAX);
    if (words) {
        json_object_foreach((json_t *)index, word, positions)
            place_word(words, word, positions);
        for (size_t i = 0; i < WORDS_MAX && !text.cut; i++)
            if (words[i])
                wr_text_format(&text, "%s%s", text.len ? " " : "", words[i]);
        abstract = text.len ? reading_text(reading, text.at, text.len) : NULL;
    } else {
        reading->arena->full = true;
    }
    wr_text_free(&text);
    free(words);
    return abstract;
}

/* ---- papers ---- */

static bool read_semantic_scholar(struct source_reading *reading, const json_t *item,
                                  struct scholar_paper *ret)
{
    ret->id = semantic_scholar_id(reading_str(reading, item, "paperId"));
    ret->title = reading_title(reading, item, "title");
    ret->abstract = reading_str(reading, item, "abstract");
    ret->year = reading_year(item, "year");
    read_authors(reading, ret, reading_at(item, "authors"), "name");
    ret->venue = reading_str(reading, item, "venue");
    ret->doi = reading_doi(reading, reading_str(reading, item, "externalIds.DOI"));
    ret->arxiv = reading_arxiv_id(reading, reading_str(reading, item, "externalIds.ArXiv"));
    ret->pmid = last_part(reading_str(reading, item, "externalIds.PubMed"), "0123456789", 12);
    ret->citations = count_at(item, "citationCount");
    ret->references = count_at(item, "referenceCount");
    ret->pdf = address_at(reading, item, "openAccessPdf.url");
    return ret->id && ret->title;
}

static bool read_openalex(struct source_reading *reading, const json_t *item,
                          struct scholar_paper *ret)
{
    ret->id = openalex_id(reading_str(reading, item, "id"));
    ret->title = reading_title(reading, item, "title");
    ret->abstract = rebuild(reading, reading_at(item, "abstract_inverted_index"));
    ret->year = reading_year(item, "publication_year");
    read_authors(reading, ret, reading_at(item, "authorships"), "author.display_name");
    ret->venue = reading_str(reading, item, "primary_location.source.display_name");
    ret->doi = reading_doi(reading, reading_str(reading, item, "doi"));
    const char *page = reading_str(reading, item, "primary_location.landing_page_url");
    if (page && strstr(page, "arxiv.org/"))
        ret->arxiv = reading_arxiv_id(reading, page);
    else if (ret->doi && strncmp(ret->doi, "10.48550/", 9) == 0)
        ret->arxiv = reading_arxiv_id(reading, ret->doi);
    ret->pmid = last_part(reading_str(reading, item, "ids.pmid"), "0123456789", 12);
    ret->citations = count_at(item, "cited_by_count");
    ret->references = count_at(item, "referenced_works_count");
    ret->pdf = address_at(reading, item, "primary_location.pdf_url");
    if (!ret->pdf)
        ret->pdf = address_at(reading, item, "open_access.oa_url");
    return ret->id && ret->title;
}

/* ---- answers ---- */

struct answer {
    struct scholar_found *found;
    struct source_reading *reading;
    enum scholar_api api;
};

static void add(const struct answer *answer, const json_t *item)
{
    struct scholar_found *found = answer->found;
    if (!json_is_object(item) || found->count == SCHOLAR_LIMIT_MAX)
        return;
    struct scholar_paper *paper = &found->papers[found->count];
    *paper = (struct scholar_paper){ .api = answer->api, .citations = -1, .references = -1 };
    found->count += answer->api == SCHOLAR_OPENALEX
                        ? read_openalex(answer->reading, item, paper)
                        : read_semantic_scholar(answer->reading, item, paper);
}

static void add_id(const struct answer *answer, const char *text)
{
    struct scholar_found *found = answer->found;
    const char *id = openalex_id(text);
    if (id && found->count < SCHOLAR_LIMIT_MAX)
        found->papers[found->count++] = (struct scholar_paper){
            .api = answer->api, .title = "", .citations = -1, .references = -1,
            .id = reading_text(answer->reading, id, strlen(id)) };
}

static wr_err read_ids(const struct answer *answer, const json_t *root)
{
    size_t i;
    const json_t *id;
    add_id(answer, json_string_value(reading_at(root, "id")));
    if (answer->found->count == 0)
        return reading_fail(answer->reading, WR_IO, "sent a record without an id");
    json_array_foreach((json_t *)reading_at(root, "referenced_works"), i, id)
        add_id(answer, json_string_value(id));
    return WR_OK;
}

/* A list; each item of it may hold the paper in a member.  Where there is nothing to list some
 * say so, and some have no list. */
static wr_err read_list(const struct answer *answer, const json_t *root, const char *member)
{
    const struct source_driver *driver = answer->reading->driver;
    const json_t *list = reading_at(root, driver->list), *total, *item;
    size_t i;
    total = reading_at(root, driver->total);
    bool none = json_is_object(root) && (!list || json_is_null(list));
    if (none && (member[0] || (json_is_integer(total) && json_integer_value(total) == 0)))
        return WR_OK;
    if (!json_is_array(list))
        return reading_fail(answer->reading, WR_IO, "sent JSON without a result in it");
    json_array_foreach((json_t *)list, i, item)
        add(answer, member[0] ? reading_at(item, member) : item);
    return WR_OK;
}

static wr_err read_shape(const struct answer *answer, enum scholar_shape shape,
                         const json_t *root)
{
    switch (shape) {
    case SCHOLAR_CITED: return read_list(answer, root, "citedPaper");
    case SCHOLAR_CITING: return read_list(answer, root, "citingPaper");
    case SCHOLAR_IDS: return read_ids(answer, root);
    case SCHOLAR_ONE:
        add(answer, root);
        return answer->found->count
                   ? WR_OK
                   : reading_fail(answer->reading, WR_IO, "sent a record without a title");
    default: return read_list(answer, root, "");
    }
}

wr_err scholar_read(struct scholar_found *ret, struct source_reading *reading,
                    enum scholar_shape shape, const struct source_reply *reply)
{
    struct answer answer = { .found = ret, .reading = reading,
                             .api = reading->driver == &source_openalex
                                        ? SCHOLAR_OPENALEX
                                        : SCHOLAR_SEMANTIC_SCHOLAR };
    wr_err err = reading_status(reading, reply);
    if (err)
        return err;
    ret->count = 0;
    ret->papers = wr_arena_alloc(reading->arena, SCHOLAR_LIMIT_MAX * sizeof(*ret->papers));
    json_t *root = ret->papers ? reading_json(reading, reply->bytes, reply->len) : NULL;
    if (root)
        err = read_shape(&answer, shape, root);
    else
        err = WR_IO;
    json_decref(root);
    if (reading->arena->full)
        err = reading_fail(reading, WR_NOMEM, "sent more than there is room for");
    if (err)
        ret->count = 0;
    return err;
}
