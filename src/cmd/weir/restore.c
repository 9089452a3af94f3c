/* restore.c - weir restore: a copy of a store takes the place of the store. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <weir/file.h>
#include <weir/run.h>

#include "base/json.h"
#include "cmd/weir/data.h"
#include "cmd/weir/weir.h"
#include "conf/node_keys.h"
#include "store/archive.h"
#include "svc/node/depot.h"

extern char **environ;

static const char help_text[] =
    "usage: weir restore PATH [--replace] [--json] [FLAG...]\n"
    "  Put a copy that `weir backup` has made in the place of the store of the node with\n"
    "  this configuration, which must not run.  All of the copy is read first, and one that\n"
    "  is damaged or was made by a newer program is refused.\n"
    "  A store that is there stays as it is, unless --replace is said: then it is put aside,\n"
    "  into a folder beside it, and nothing of it is thrown away.\n\n"
    "Exit status: 0 the store is the copy, 1 all is as it was, 2 wrong use.\n";

struct restore {
    const struct wr_conf *conf;
    char path[ARCHIVE_PATH_MAX], aside[ARCHIVE_PATH_MAX];
    const char *to;
    struct archive_info info;
    char why[600];
};

/* Nobody starts a node there meanwhile; -1: somebody has, or why it cannot be had. */
static int lock_data(struct restore *restore)
{
    char path[4200], text[DATA_SIGNATURE];
    const char *data = wr_conf_text(restore->conf, "data");
    wr_err err = wr_file_make_dir(data, 0700, WR_NEVER);
    snprintf(path, sizeof(path), "%s/lock", data);
    int fd = err ? -1 : open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) {
        snprintf(restore->why, sizeof(restore->why), "%s cannot be had: %s; give another "
                 "--data", data, err ? wr_err_text(err) : strerror(errno));
        return -1;
    }
    if (data_lock(fd))
        return fd;
    data_signature(fd, text, sizeof(text));
    snprintf(restore->why, sizeof(restore->why), "a node runs on %s (%s); stop it first", data,
             text);
    close(fd);
    return -1;
}

/* It is what a node would have: opened, and its tables brought up to date. */
static wr_err try_it(void *arg)
{
    struct restore *restore = arg;
    struct depot depot = { 0 };
    wr_err err = depot_open(&depot, restore->conf, restore->why);
    depot_close(&depot);
    return err;
}

static bool do_it(struct restore *restore, bool replace)
{
    char url[DEPOT_URL_MAX];
    struct store_why why = { "" };
    if (wr_conf_bool(restore->conf, "security.amnesia")
        || depot_place(restore->conf, url, &restore->to) || !restore->to) {
        snprintf(restore->why, sizeof(restore->why), "the store of this configuration is no "
                 "file (store.url, security.amnesia): there is nothing to restore it into");
        return false;
    }
    int lock = lock_data(restore);
    if (lock < 0)
        return false;
    wr_err err = archive_restore(restore->path, restore->to, replace, restore->aside,
                                 &restore->info, &why);
    if (err)
        snprintf(restore->why, sizeof(restore->why), "%s", why.text);
    else
        err = wr_run(&(struct wr_run_conf){ .workers = 1 }, try_it, restore);
    close(lock);
    return !err;
}

static void print(const struct restore *restore, bool json_wanted)
{
    const struct archive_info *info = &restore->info;
    struct wr_text text = wr_text_heap(16384);
    struct wr_json json = wr_json_to(&text);
    wr_json_object(&json, NULL);
    wr_json_str(&json, "path", restore->path);
    wr_json_str(&json, "kept", restore->aside[0] ? restore->aside : NULL);
    wr_json_u64(&json, "steps", info->steps);
    wr_json_u64(&json, "bytes", info->bytes);
    wr_json_u64(&json, "blobs", info->blobs);
    wr_json_u64(&json, "blob_bytes", info->blob_bytes);
    wr_json_end(&json);
    if (json_wanted)
        printf("%s\n", text.at);
    else
        printf("the store is as in %s now: %llu bytes of database, %llu blobs of %llu bytes\n",
               restore->path, (unsigned long long)info->bytes, (unsigned long long)info->blobs,
               (unsigned long long)info->blob_bytes);
    if (!json_wanted && restore->aside[0])
        printf("the one that was there is kept in %s\n", restore->aside);
    wr_text_free(&text);
}

int weir_restore(int argc, char **argv)
{
    bool json = false, replace = false;
    const struct wr_conf_switch switches[] = {
        { "--json", &json, "Print JSON." },
        { "--replace", &replace, "Put a store that is there aside." }, { 0 },
    };
    struct restore restore = { 0 };
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(help_text, stdout);
        return 0;
    }
    if (argc < 2 || argv[1][0] == '-' || !backup_place(restore.path, argv[1])) {
        fprintf(stderr, "weir restore: name the folder of the copy first, by a path of less "
                "than %d bytes\n\n%s", ARCHIVE_PATH_MAX, help_text);
        return 2;
    }
    struct wr_conf *conf = weir_load(&(struct wr_conf_source){
        .tables = weir_tables, .argc = argc - 1, .argv = argv + 1, .env = environ,
        .switches = switches, .services = weir_services });
    if (!conf)
        return 2;
    restore.conf = conf;
    bool good = do_it(&restore, replace);
    if (good)
        print(&restore, json);
    else
        fprintf(stderr, "weir restore: %s\n", restore.why);
    wr_conf_unref(conf);
    return good ? 0 : 1;
}
