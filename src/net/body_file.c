/* body_file.c - what has come of a large body, in a file while more of it comes. */
#include "net/body_file.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/world.h"

#define PATH_MAX_HERE 4200
#define NAMES_MAX ((size_t)1 << 20)
#define WITHIN WR_S(10)                     /* for a disk to take a step */

struct body_file {
    uint64_t size;
    bool named;                             /* its file can be found in the folder */
    char path[PATH_MAX_HERE];
};

wr_err body_file_prepare(const char *folder, wr_time deadline)
{
    char *names, path[PATH_MAX_HERE];
    size_t len;
    wr_err err = wr_file_make_dir(folder, 0700, deadline);
    if (!err)
        err = wr_file_list(&names, &len, folder, NAMES_MAX, deadline);
    if (err)
        return err;
    for (const char *name = names; !err && name < names + len; name += strlen(name) + 1)
        if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
            snprintf(path, sizeof(path), "%s/%s", folder, name);
            err = wr_file_remove(path, deadline);
        }
    free(names);
    return err;
}

static struct body_file *make(const char *folder)
{
    uint64_t id[2];
    struct body_file *file = calloc(1, sizeof(*file));
    if (!file)
        return NULL;
    wr_world->entropy(id, sizeof(id));
    snprintf(file->path, sizeof(file->path), "%s/%016llx%016llx", folder,
             (unsigned long long)id[0], (unsigned long long)id[1]);
    return file;
}

wr_err body_file_add(struct body_file **file, const char *folder, const char *bytes, size_t len)
{
    if (!*file && !(*file = make(folder)))
        return WR_NOMEM;
    struct body_file *self = *file;
    self->named = true;
    wr_err err = wr_file_write_part(self->path, self->size, bytes, len, wr_after(WITHIN));
    if (!err)
        self->size += len;
    return err;
}

static void unname(struct body_file *file)
{
    if (file->named)
        (void)!wr_file_remove(file->path, wr_after(WITHIN));
    file->named = false;
}

wr_err body_file_map(struct body_file *file, struct wr_file_map *ret)
{
    wr_err err = wr_file_map(ret, file->path, wr_after(WITHIN));
    unname(file);
    return err;
}

void body_file_free(struct body_file *file)
{
    if (!file)
        return;
    unname(file);
    free(file);
}
