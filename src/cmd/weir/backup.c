/* backup.c - weir backup: a copy of the store, made while the node goes on, or without one. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <weir/run.h>

#include "base/json.h"
#include "cmd/weir/data.h"
#include "cmd/weir/local.h"
#include "cmd/weir/weir.h"
#include "conf/node_keys.h"
#include "store/archive.h"
#include "svc/node/depot.h"

#define WITHIN WR_S(3600)

extern char **environ;

static const char help_text[] =
    "usage: weir backup PATH [--json] [FLAG...]\n"
    "  Copy the store of the node with this configuration into a new folder: its database\n"
    "  and its blobs.  A node that runs makes the copy itself, and goes on meanwhile.  The\n"
    "  copy is read back before it gets its name; nothing is ever overwritten.\n"
    "  `weir restore` is the way back.\n\n"
    "Exit status: 0 it is there and sound, 1 it could not be made, 2 wrong use.\n";

struct backup {
    const struct wr_conf *conf;
    char path[ARCHIVE_PATH_MAX];
    struct archive_info info;
    char why[600];
};

/* ---- by the node ---- */

static uint64_t number_of(const json_t *body, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(body, key));
}

static bool by_the_node(struct backup *backup)
{
    struct local_answer answer;
    struct wr_text text = wr_text_heap(8192);
    struct wr_json json = wr_json_to(&text);
    wr_json_object(&json, NULL);
    wr_json_str(&json, "path", backup->path);
    wr_json_end(&json);
    bool heard = local_ask(&answer, backup->conf, "POST", "/api/v1/storage/backup", text.at,
                           LOCAL_LONG);
    bool good = heard && answer.status == 200;
    if (!good)
        snprintf(backup->why, sizeof(backup->why), "%s", answer.why);
    backup->info = (struct archive_info){
        .steps = number_of(answer.body, "steps"), .bytes = number_of(answer.body, "bytes"),
        .blobs = number_of(answer.body, "blobs"),
        .blob_bytes = number_of(answer.body, "blob_bytes") };
    local_free(&answer);
    wr_text_free(&text);
    return good;
}

/* ---- without one ---- */

static wr_err make(void *arg)
{
    struct backup *backup = arg;
    struct depot depot = { 0 };
    struct store_why why = { "" };
    wr_err err = depot_open(&depot, backup->conf, backup->why);
    if (err)
        return err;
    err = archive_make(depot.store, backup->path, &backup->info, &why, wr_after(WITHIN));
    if (err)
        snprintf(backup->why, sizeof(backup->why), "%s", why.text);
    depot_close(&depot);
    return err;
}

static bool by_hand(struct backup *backup)
{
    char url[DEPOT_URL_MAX];
    const char *path;
    if (!depot_place(backup->conf, url, &path) && path && access(path, F_OK) != 0) {
        snprintf(backup->why, sizeof(backup->why), "there is no store at %s: %s; name its "
                 "folder (--data)", path, strerror(errno));
        return false;
    }
    wr_err err = wr_run(&(struct wr_run_conf){ .workers = 1 }, make, backup);
    if (err && !backup->why[0])
        snprintf(backup->why, sizeof(backup->why), "%s", wr_err_text(err));
    return !err;
}

/* ---- the command ---- */

static void print(const struct backup *backup, bool json_wanted)
{
    const struct archive_info *info = &backup->info;
    if (!json_wanted) {
        printf("%s: %llu bytes of database, %llu blobs of %llu bytes; read back, and sound\n",
               backup->path, (unsigned long long)info->bytes, (unsigned long long)info->blobs,
               (unsigned long long)info->blob_bytes);
        return;
    }
    struct wr_text text = wr_text_heap(8192);
    struct wr_json json = wr_json_to(&text);
    wr_json_object(&json, NULL);
    wr_json_str(&json, "path", backup->path);
    wr_json_u64(&json, "steps", info->steps);
    wr_json_u64(&json, "bytes", info->bytes);
    wr_json_u64(&json, "blobs", info->blobs);
    wr_json_u64(&json, "blob_bytes", info->blob_bytes);
    wr_json_end(&json);
    printf("%s\n", text.at);
    wr_text_free(&text);
}

bool backup_place(char *ret, const char *path)
{
    char here[ARCHIVE_PATH_MAX] = "";
    struct wr_text text = wr_text_over(ret, ARCHIVE_PATH_MAX);
    bool whole = path[0] == '/';
    if (!whole && !getcwd(here, sizeof(here)))
        return false;
    wr_text_format(&text, "%s%s%s", here, whole ? "" : "/", path);
    while (text.len > 1 && ret[text.len - 1] == '/')
        ret[--text.len] = '\0';
    return path[0] && !text.cut;
}

int weir_backup(int argc, char **argv)
{
    bool json = false;
    const struct wr_conf_switch switches[] = { { "--json", &json, "Print JSON." }, { 0 } };
    struct backup backup = { 0 };
    char where[DATA_SIGNATURE];
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(help_text, stdout);
        return 0;
    }
    if (argc < 2 || argv[1][0] == '-' || !backup_place(backup.path, argv[1])) {
        fprintf(stderr, "weir backup: name a new folder for the copy first, by a path of less "
                "than %d bytes\n\n%s", ARCHIVE_PATH_MAX, help_text);
        return 2;
    }
    struct wr_conf *conf = weir_load(&(struct wr_conf_source){
        .tables = weir_tables, .argc = argc - 1, .argv = argv + 1, .env = environ,
        .switches = switches, .services = weir_services });
    if (!conf)
        return 2;
    backup.conf = conf;
    const char *data = wr_conf_text(conf, "data");
    bool good = false;
    if (wr_conf_bool(conf, "security.amnesia"))
        snprintf(backup.why, sizeof(backup.why), "under amnesia nothing is kept, and there is "
                 "nothing to copy");
    else
        good = data_in_use(data, where, sizeof(where)) ? by_the_node(&backup)
                                                       : by_hand(&backup);
    if (good)
        print(&backup, json);
    else
        fprintf(stderr, "weir backup: %s\n", backup.why);
    wr_conf_unref(conf);
    return good ? 0 : 1;
}
