/* storage.c - see storage.h. */
#include "svc/node/storage.h"

#include <string.h>

#include <weir/file.h>

#include "svc/node/node_int.h"
#include "svc/node/page.h"

#define LOOK_WITHIN WR_S(1)

static const struct node_service itself = { .name = "node" };

/* One database after the other: the node's own, and those of all services. */
struct walk {
    const struct node_start *start;
    const struct node_database *own;
    size_t service, database;       /* the next one */
};

static struct walk walk_of(struct node *node)
{
    return (struct walk){ .start = node->start, .own = &node->depot.database };
}

static const struct node_database *next(struct walk *walk, const struct node_service **owner)
{
    const struct node_database *own = walk->own;
    walk->own = NULL;
    *owner = &itself;
    if (own)
        return own;
    for (; walk->service < walk->start->service_count; walk->service++, walk->database = 0) {
        *owner = &walk->start->services[walk->service];
        if (walk->database < (*owner)->database_count)
            return &(*owner)->databases[walk->database++];
    }
    return NULL;
}

static const struct node_database *find(struct walk walk, const char *name,
                                        const struct node_service **owner)
{
    const struct node_database *database;
    while ((database = next(&walk, owner)) && strcmp(database->name, name) != 0)
        ;
    return database;
}

void storage_check(const struct node_start *start)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-_.";
    struct walk walk = { .start = start };
    const struct node_service *owner;
    const struct node_database *database;
    for (size_t count = 1; (database = next(&walk, &owner)); count++) {
        const char *name = database->name ? database->name : "";
        if (count > STORAGE_DATABASES_MAX)
            wr_panic("database \"%s\": services bring more than %d", name,
                     STORAGE_DATABASES_MAX);
        if (!name[0] || name[strspn(name, letters)] || !database->look)
            wr_panic("database \"%s\" of %s: a name of a-z, 0-9, -, _ and ., and a look are "
                     "needed", name, owner->name);
        if (strcmp(name, DEPOT_NAME) == 0
            || find((struct walk){ .start = start }, name, &owner) != database)
            wr_panic("database \"%s\" is there twice", name);
    }
}

/* ---- pages ---- */

static void describe(struct wr_json *json, const struct node_database *database,
                     const struct node_service *owner)
{
    struct node_database_view view = { 0 };
    wr_err err = database->look(database->arg, &view);
    wr_json_str(json, "name", database->name);
    wr_json_str(json, "engine", database->engine);
    if (err)
        wr_json_null(json, "sizeBytes");
    else
        wr_json_u64(json, "sizeBytes", view.size);
    wr_json_str(json, "mode", database->mode);
    wr_json_str(json, "owner", owner->name);
    wr_json_str(json, "health", page_health(err ? WR_HEALTH_UNREADY : view.health));
}

wr_err storage_serve_list(struct wr_call *call)
{
    struct node *node = wr_call_arg(call);
    struct walk walk = walk_of(node);
    const struct node_service *owner;
    const struct node_database *database;
    struct page page;
    page_begin(&page);
    wr_json_array(&page.json, "databases");
    while ((database = next(&walk, &owner))) {
        wr_json_object(&page.json, NULL);
        describe(&page.json, database, owner);
        wr_json_end(&page.json);
    }
    wr_json_end(&page.json);
    return page_end(&page, call);
}

wr_err storage_serve_one(struct wr_call *call)
{
    struct node *node = wr_call_arg(call);
    const struct node_service *owner;
    const struct node_database *database =
        find(walk_of(node), wr_call_param(call, "name"), &owner);
    struct page page;
    if (!database)
        return wr_call_fail(call, WR_NOTFOUND, "there is no database of that name; "
                            "/api/v1/storage/databases lists them");
    page_begin(&page);
    describe(&page.json, database, owner);
    return page_end(&page, call);
}

static wr_err look_at_disk(struct node *node, struct wr_file_info *ret, bool *ret_there)
{
    const struct settings *settings = settings_get(node);
    const char *data = wr_conf_text(settings->conf, "data");
    *ret_there = data;
    wr_err err = data ? wr_file_look(ret, data, wr_after(LOOK_WITHIN)) : WR_OK;
    settings_put(node, settings);
    return err;
}

static void add_bytes(struct wr_json *json, const char *key, bool there, uint64_t bytes)
{
    if (there)
        wr_json_u64(json, key, bytes);
    else
        wr_json_null(json, key);
}

wr_err storage_serve_summary(struct wr_call *call)
{
    struct node *node = wr_call_arg(call);
    struct walk walk = walk_of(node);
    const struct node_service *owner;
    const struct node_database *database;
    struct wr_file_info disk = { 0 };
    struct page page;
    uint64_t count = 0, bytes = 0;
    bool there;
    wr_err err = look_at_disk(node, &disk, &there);
    if (err)
        return wr_call_fail(call, err, "the data directory: %s", wr_err_text(err));
    for (; (database = next(&walk, &owner)); count++) {
        struct node_database_view view = { 0 };
        if (!database->look(database->arg, &view))
            bytes += view.size;
    }
    page_begin(&page);
    page_moment(&page, "updatedAt", wr_wall());
    wr_json_bool(&page.json, "persistent", there && !disk.in_memory);
    add_bytes(&page.json, "fsTotalBytes", there, disk.disk_size);
    add_bytes(&page.json, "fsAvailableBytes", there, disk.disk_left);
    wr_json_u64(&page.json, "databases", count);
    wr_json_u64(&page.json, "databaseBytes", bytes);
    return page_end(&page, call);
}
