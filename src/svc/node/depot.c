/* depot.c - see depot.h. */
#include "svc/node/depot.h"

#include <stdio.h>
#include <string.h>

#include <weir/once.h>
#include <weir/scope.h>
#include <weir/select.h>

#include "net/json_in.h"
#include "store/archive.h"
#include "store/verb.h"
#include "svc/node/node_int.h"
#include "svc/node/page.h"

#define OPEN_WITHIN WR_S(30)
#define CLOSE_WITHIN WR_S(3)
#define LOOK_WITHIN WR_S(1)
#define FILE_SCHEME "sqlite:"

wr_err depot_place(const struct wr_conf *conf, char *url, const char **ret_path)
{
    const char *wanted = wr_conf_text(conf, "store.url"), *data = wr_conf_text(conf, "data");
    size_t scheme = strlen(FILE_SCHEME);
    wanted = wanted ? wanted : FILE_SCHEME;
    bool file = strncmp(wanted, FILE_SCHEME, scheme) == 0 && wanted[scheme];
    bool inside = file && wanted[scheme] != '/';
    int len = inside ? snprintf(url, DEPOT_URL_MAX, FILE_SCHEME "%s/%s", data ? data : ".",
                                wanted + scheme)
                     : snprintf(url, DEPOT_URL_MAX, "%s", wanted);
    *ret_path = file ? url + scheme : NULL;
    if (len >= DEPOT_URL_MAX)
        return WR_INVALID;
    return file ? store_true_path(url + scheme, DEPOT_URL_MAX - scheme, url + scheme) : WR_OK;
}

/* ---- how large it is ---- */

static const struct store_verb size = {
    .name = "store.size",
    .sqlite = { "select page_count * page_size from pragma_page_count, pragma_page_size" },
    .postgres = "select pg_database_size(current_database())",
};

static wr_err look(void *arg, struct node_database_view *ret)
{
    struct depot *depot = arg;
    struct store_rows rows;
    struct store_health health;
    wr_err err = store_do(depot->store, &size, (struct store_values){ 0 }, &rows,
                          wr_after(LOOK_WITHIN));
    if (err)
        return err;
    ret->size = rows.count ? (uint64_t)store_int(&rows, 0, 0) : 0;
    store_rows_free(&rows);
    store_health(depot->store, &health);
    ret->health = health.state == STORE_OK ? WR_HEALTH_READY : WR_HEALTH_DEGRADED;
    return WR_OK;
}

/* ---- the whole ---- */

wr_err depot_open(struct depot *depot, const struct wr_conf *conf, char *why)
{
    struct store_why sentence = { "the path of its file is too long" };
    wr_err err = depot_place(conf, depot->url, &depot->path);
    bool file = strncmp(depot->url, FILE_SCHEME, strlen(FILE_SCHEME)) == 0;
    if (!err && depot->path && archive_interrupted(depot->path)) {
        err = WR_INVALID;
        snprintf(sentence.text, sizeof(sentence.text), "a restore into %.120s was broken off: "
                 "run it again (weir restore PATH --replace)", depot->path);
    }
    if (!err)
        err = store_open(&depot->store, &(struct store_conf){ .url = depot->url }, &sentence,
                         wr_after(OPEN_WITHIN));
    if (err) {
        snprintf(why, NODE_WHY_MAX, "the store (store.url, %s): %s",
                 wr_conf_origin(conf, "store.url"), sentence.text);
        return err;
    }
    depot->database = (struct node_database){
        .name = DEPOT_NAME, .engine = file ? "sqlite" : "postgres",
        .mode = depot->path ? "wal" : file ? "memory" : "server", .look = look, .arg = depot };
    return WR_OK;
}

void depot_close(struct depot *depot)
{
    store_close(depot->store, wr_after(CLOSE_WITHIN));
    depot->store = NULL;
}

void depot_health(struct depot *depot, struct store_health *ret)
{
    store_health(depot->store, ret);
    const char *slash = depot->path ? strrchr(depot->path, '/') : NULL;
    size_t folder = slash ? (size_t)(slash + 1 - depot->path) : 0;
    for (char *at = ret->why.text; folder && (at = strstr(at, depot->path));)
        memmove(at, at + folder, strlen(at + folder) + 1);
}

void depot_write(struct depot *depot, struct wr_json *json)
{
    struct store_health health;
    depot_health(depot, &health);
    bool well = health.state == STORE_OK;
    wr_json_object(json, "store");
    wr_json_str(json, "engine", depot->database.engine);
    wr_json_str(json, "mode", depot->database.mode);
    wr_json_str(json, "health", page_health(well ? WR_HEALTH_READY : WR_HEALTH_DEGRADED));
    if (!well)
        wr_json_str(json, "why", health.why.text);
    wr_json_u64(json, "writes", health.writes);
    wr_json_u64(json, "batches", health.batches);
    wr_json_u64(json, "batches_slow", health.batches_slow);
    wr_json_u64(json, "wal_bytes", health.wal_bytes);
    wr_json_end(json);
}

/* ---- what an operator asks for ----
 *
 * It may take long, so it is done by a task, and the call waits for that, for the node's drain
 * and for its own end: whichever comes first. */

struct errand {
    struct node *node;
    const char *path;
    struct archive_info info;
    struct store_why why;
    struct wr_once *done;
    wr_err err;
};

static wr_err run_errand(struct wr_call *call, struct errand *errand, wr_task_fn fn)
{
    struct wr_scope *scope;
    size_t which;
    wr_err err = wr_once_new(&errand->done, "depot.errand", 0);
    if (err)
        return err;
    err = wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "depot.errand",
                                                        .deadline = wr_call_deadline(call) });
    if (!err) {
        err = wr_scope_go(scope, "depot.errand", fn, errand);
        struct wr_case done = WR_CASE_ONCE(errand->done, NULL);
        if (!err)
            err = wr_call_select(call, &which, &done, 1, wr_call_deadline(call));
        (void)!wr_scope_close(scope);
    }
    wr_once_free(errand->done);
    return err;
}

static wr_err check_all(void *arg)
{
    struct errand *errand = arg;
    errand->err = store_check(errand->node->depot.store, &errand->why, WR_NEVER);
    (void)!wr_once_set(errand->done, NULL);
    return WR_OK;
}

wr_err depot_serve_check(struct wr_call *call)
{
    struct node *node = wr_call_arg(call);
    struct node_database_view view = { 0 };
    struct store_health health;
    struct errand errand = { .node = node };
    struct page page;
    wr_err err = run_errand(call, &errand, check_all);
    if (err)
        return err;
    err = errand.err;
    if (err == WR_TIMEOUT || err == WR_CANCELED || err == WR_BUSY)
        return err;
    depot_health(&node->depot, &health);
    bool looked = !look(&node->depot, &view);
    page_begin(&page);
    wr_json_bool(&page.json, "sound", !err);
    if (err)
        wr_json_str(&page.json, "why", errand.why.text);
    if (looked)
        wr_json_u64(&page.json, "bytes", view.size);
    wr_json_u64(&page.json, "wal_bytes", health.wal_bytes);
    return page_end(&page, call);
}

static wr_err copy_all(void *arg)
{
    struct errand *errand = arg;
    errand->err = archive_make(errand->node->depot.store, errand->path, &errand->info,
                               &errand->why, WR_NEVER);
    (void)!wr_once_set(errand->done, NULL);
    return WR_OK;
}

static wr_err back_up(struct wr_call *call, struct node *node, const char *path)
{
    struct errand errand = { .node = node, .path = path };
    const struct archive_info *info = &errand.info;
    struct page page;
    diary_call(node->diary, call, "admin.backup");
    wr_err err = run_errand(call, &errand, copy_all);
    if (err == WR_DRAINING && errand.err)
        return wr_call_fail(call, err, "the node stops, and the backup was broken off; nothing "
                            "is left of it: make it when the node is down, or up again");
    if (err && err != WR_DRAINING)
        return err;
    if (errand.err)
        return wr_call_fail(call, errand.err, "%s", errand.why.text);
    page_begin(&page);
    wr_json_str(&page.json, "path", path);
    wr_json_u64(&page.json, "steps", info->steps);
    wr_json_u64(&page.json, "bytes", info->bytes);
    wr_json_u64(&page.json, "blobs", info->blobs);
    wr_json_u64(&page.json, "blob_bytes", info->blob_bytes);
    return page_end(&page, call);
}

wr_err depot_serve_backup(struct wr_call *call)
{
    struct node *node = wr_call_arg(call);
    size_t len;
    const char *body = wr_call_body(call, &len);
    const struct settings *settings = settings_get(node);
    bool forgets = wr_conf_bool(settings->conf, "security.amnesia");
    settings_put(node, settings);
    if (wr_call_peer(call)->kind != WR_ADDR_UNIX)
        return wr_call_fail(call, WR_DENIED, "a backup is asked for by the node's Unix socket: "
                            "weir backup PATH");
    if (forgets)
        return wr_call_fail(call, WR_UNSUPPORTED, "under amnesia nothing is kept, and there is "
                            "nothing to copy");
    json_t *wish = json_in_object(body, len);
    const char *path = json_string_value(json_object_get(wish, "path"));
    wr_err err = path && path[0] == '/' && json_object_size(wish) == 1
        ? back_up(call, node, path)
        : wr_call_fail(call, WR_INVALID, "the body is {\"path\": \"/...\"}: a new folder, "
                       "by its whole path");
    json_decref(wish);
    return err;
}
