#include "store/graph_int.h"

#include <string.h>

#include "store/schema.h"

#define NAME "name:"

/* Of a pointer, as it is written (svc/index/catalog.h); NULL where it has none.  A file's index
 * may not take JSON apart: a file from elsewhere could have it do anything.  An index is used
 * only by who says the same as it. */
#define MEMBER "'\"manifest_cid\":\"b3:'"
#define MANIFEST_HERE "(case when instr(value, " MEMBER ") > 0 then" \
    " substr(value, instr(value, " MEMBER ") + 16, 67) end)"
#define MANIFEST_THERE "substring(value from '\"manifest_cid\":\"(b3:[0-9a-f]{64})\"')"
#define POINTS " space in ('site', 'asset') "

/* The two of edges and that of pages could find, and not put in order: the last column does. */
#define INDEXES(manifest) \
    "create index pointer_manifest on pointer (" manifest ", space, name) where" POINTS ";" \
    "drop index edges_source;" \
    "create index edges_source on edges (source_id, relation, target_id);" \
    "drop index edges_target;" \
    "create index edges_target on edges (target_id, relation, source_id);" \
    "drop index pages_content;" \
    "create index pages_content on pages (content_hash, id) where content_hash is not null;"

const struct store_step store_graph_indexes = {
    .sqlite = INDEXES(MANIFEST_HERE), .postgres = INDEXES(MANIFEST_THERE),
};

/* ---- links: ?1 is the node, ?2 how many ---- */

/* Each sort is a part of the statement, in order and bounded by itself. */
#define LINKS(parts) "select id, relation, inward, title, url, cid from (" parts ") as links" \
    " order by place, sort limit ?2"
#define PART(place, sort, id, relation, inward) "select " place " as place, " sort \
    " as sort, " id " as id, '" relation "' as relation, " inward " as inward, "
#define BARE "null as title, null as url, null as cid"
#define OF_PAGE "p.title, p.url, p.content_hash"

#define OF_NAME(manifest) LINKS( \
    PART("1", "1", manifest, "manifest", "0") BARE " from pointer where space = 'site'" \
    " and name = ?1 and " manifest " is not null")

#define OF_CONTENT(manifest) LINKS( \
    PART("1", "1", manifest, "manifest", "0") BARE " from pointer where space = 'asset'" \
    " and name = ?1 and " manifest " is not null" \
    " union all " \
    PART("row_number() over (order by space, name)", "2", \
         "case space when 'site' then '" NAME "' || name else name end", "manifest", "1") BARE \
    " from (select space, name from pointer where" POINTS "and " manifest " = ?1" \
    " and name <> ?1 order by space, name limit ?2) as p" \
    " union all " \
    PART("row_number() over (order by p.id)", "3", "p.id", "content", "1") OF_PAGE \
    " from (select id, title, url, content_hash from pages where content_hash = ?1" \
    " order by id limit ?2) as p")

#define CITES(own, other, sort, inward, but) \
    PART("row_number() over (order by p.id)", sort, "p.id", "cites", inward) OF_PAGE \
    " from (select " other " as id from edges where " own " = ?1 and relation = 'cites'" but \
    " order by " other " limit ?2) as e join pages p on p.id = e.id"

static const char of_page[] = LINKS(
    PART("1", "1", "content_hash", "content", "0") BARE " from pages where id = ?1"
    " and content_hash is not null"
    " union all " CITES("source_id", "target_id", "2", "0", "")
    " union all " CITES("target_id", "source_id", "3", "1", " and source_id <> ?1"));

const struct store_verb store_link_verbs[] = {
    [STORE_NODE_NAME] = { .name = "graph.of_name", .sqlite = { OF_NAME(MANIFEST_HERE) },
                          .postgres = OF_NAME(MANIFEST_THERE) },
    [STORE_NODE_CONTENT] = { .name = "graph.of_content",
                             .sqlite = { OF_CONTENT(MANIFEST_HERE) },
                             .postgres = OF_CONTENT(MANIFEST_THERE) },
    [STORE_NODE_PAGE] = { .name = "graph.of_page", .sqlite = { of_page } },
};

enum store_node_kind store_node_kind(const char *id)
{
    static const char *const begins[] = { [STORE_NODE_NAME] = NAME,
                                          [STORE_NODE_CONTENT] = "b3:",
                                          [STORE_NODE_PAGE] = "page_" };
    for (enum store_node_kind i = STORE_NODE_NAME; i <= STORE_NODE_PAGE; i++)
        if (strncmp(id, begins[i], strlen(begins[i])) == 0)
            return i;
    return 0;
}

wr_err store_graph_links(struct store *store, const char *id, size_t max,
                         struct store_links *ret, wr_time deadline)
{
    enum store_node_kind kind = store_node_kind(id);
    WR_ASSERT(kind && max > 0 && max <= STORE_LINKS_MAX);
    if (kind == STORE_NODE_NAME)
        id += strlen(NAME);
    wr_err err = store_do(store, &store_link_verbs[kind], STORE_VALUES(STORE_TEXT(id),
                                                           STORE_INT((int64_t)max)),
                          &ret->rows, deadline);
    ret->count = ret->rows.count;
    return err;
}

struct store_link store_link_at(const struct store_links *links, size_t i)
{
    const struct store_rows *rows = &links->rows;
    return (struct store_link){
        .node = { .id = store_text(rows, i, 0), .title = store_text(rows, i, 3),
                  .url = store_text(rows, i, 4), .cid = store_text(rows, i, 5) },
        .relation = store_text(rows, i, 1), .inward = store_int(rows, i, 2) };
}

void store_links_free(struct store_links *links)
{
    store_rows_free(&links->rows);
    links->count = 0;
}

/* ---- one node ---- */

static const struct store_verb page = {
    .name = "graph.page",
    .sqlite = { "select title, url, content_hash from pages where id = ?1" },
};

wr_err store_graph_node(struct store *store, const char *id, struct store_node *ret,
                        struct store_rows *rows, wr_time deadline)
{
    bool is_page = store_node_kind(id) == STORE_NODE_PAGE;
    struct store_links links = { 0 };
    wr_err err = is_page ? store_do(store, &page, STORE_VALUES(STORE_TEXT(id)), &links.rows,
                                    deadline)
                         : store_graph_links(store, id, 1, &links, deadline);
    *rows = links.rows;
    *ret = (struct store_node){ .id = id };
    if (!err && is_page && rows->count)
        *ret = (struct store_node){ .id = id, .title = store_text(rows, 0, 0),
                                    .url = store_text(rows, 0, 1),
                                    .cid = store_text(rows, 0, 2) };
    return !err && rows->count == 0 ? WR_NOTFOUND : err;
}
