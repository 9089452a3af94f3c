/* index_search.c - see index_search.h. */
#include "svc/index/index_search.h"

#include <ctype.h>
#include <string.h>

#include "base/json.h"
#include "store/pointer.h"
#include "svc/service.h"

#define LIMIT_PRESET 10
#define LIMIT_MAX 50

struct search {
    char query[INDEX_QUERY_MAX + 1];
    size_t offset, limit;
    size_t seen;                        /* results so far, those before the offset too */
    bool truncated;
    struct wr_json json;
};

/* As names are kept; blanks around it do not count. */
static wr_err take_query(struct wr_call *call, struct search *search)
{
    const char *text = wr_call_param(call, "query");
    text += strspn(text, " ");
    size_t len = strlen(text);
    while (len > 0 && text[len - 1] == ' ')
        len--;
    if (len == 0 || len > INDEX_QUERY_MAX)
        return wr_call_fail(call, WR_INVALID, "a query has 1 to %d bytes", INDEX_QUERY_MAX);
    for (size_t i = 0; i < len; i++)
        if (iscntrl((unsigned char)text[i]))
            return wr_call_fail(call, WR_INVALID, "a query has no control characters");
        else
            search->query[i] = (char)tolower((unsigned char)text[i]);
    return WR_OK;
}

/* False: there are as many as were asked for. */
static bool add(struct search *search, const struct store_pointer *pointer)
{
    size_t place = search->seen++;
    if (place < search->offset)
        return true;
    if (place == search->offset + search->limit) {
        search->truncated = true;
        return false;
    }
    wr_json_raw(&search->json, NULL, pointer->value, strlen(pointer->value));
    return true;
}

/* Who has the very name is first, then those that go on from there. */
static wr_err find(struct search *search, struct store *store, wr_time deadline)
{
    struct store_pointers found;
    size_t len = strlen(search->query);
    wr_err err = store_pointer_get(store, "site", search->query, &found, deadline);
    bool more = true;
    if (!err) {
        more = add(search, &found.first);
        store_pointers_free(&found);
    } else if (err != WR_NOTFOUND) {
        return err;
    }
    if (!more)
        return WR_OK;
    err = store_pointer_list(store, "site", search->query, search->offset + search->limit + 1,
                             &found, deadline);
    if (err)
        return err;
    for (size_t i = 0; i < found.count && more; i++) {
        struct store_pointer pointer = store_pointer_at(&found, i);
        more = strncmp(pointer.name, search->query, len) == 0 && add(search, &pointer);
    }
    store_pointers_free(&found);
    return WR_OK;
}

static wr_err get_search(struct wr_call *call)
{
    struct index_desk *desk;
    wr_err err = index_desk_of(call, &desk);
    if (err)
        return err;
    const struct index_settings *settings = wr_cell_get(desk->settings);
    bool on = settings->search;
    wr_cell_put(desk->settings, settings);
    if (!on)
        return wr_call_fail(call, WR_NOTFOUND, "nothing is searched here: index.facets.search "
                            "is off");
    struct wr_text text = wr_text_heap(INDEX_ANSWER_MAX);
    struct search search = { .json = wr_json_to(&text) };
    search.limit = index_desk_number(call, "limit", 1, LIMIT_MAX, LIMIT_PRESET);
    search.offset = index_desk_number(call, "offset", 0, INDEX_SEARCH_OFFSET_MAX, 0);
    err = take_query(call, &search);
    if (err)
        return err;
    wr_json_object(&search.json, NULL);
    wr_json_str(&search.json, "query", search.query);
    wr_json_u64(&search.json, "offset", search.offset);
    wr_json_u64(&search.json, "limit", search.limit);
    wr_json_array(&search.json, "results");
    err = find(&search, desk->store, wr_call_deadline(call));
    wr_json_end(&search.json);
    wr_json_bool(&search.json, "truncated", search.truncated);
    wr_json_end(&search.json);
    return index_desk_answer(call, err ? index_desk_fail(call, err, NULL) : WR_OK, 200, &text);
}

static const struct node_policy policy = { .facet = FACET_SEARCH };

static const char gives[] =
    "{\"type\":\"object\",\"required\":[\"query\",\"offset\",\"limit\",\"results\","
    "\"truncated\"],\"properties\":{\"query\":{\"type\":\"string\"},\"offset\":{\"type\":"
    "\"integer\"},\"limit\":{\"type\":\"integer\"},\"truncated\":{\"type\":\"boolean\"},"
    "\"results\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"required\":[\"name\","
    "\"manifest_cid\"]}}}}";

void index_search_routes(struct wr_route ret[INDEX_SEARCH_ROUTES], struct index_desk *desk)
{
    ret[0] = (struct wr_route){
        .method = "GET", .path = "/search/{query}", .handler = get_search, .arg = desk,
        .scope = "index.read", .tag = "index", .policy = &policy, .gives = gives,
        .summary = "Sites whose names begin so; where index.facets.search is on.",
        .query = "limit: how many, 1 to 50; 10\noffset: how many to leave out, 0 to 900" };
}
