/* file.c - whole files, through the pool of threads or straight. */
#include <weir/file.h>

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <weir/fd.h>
#include <weir/log.h>
#include <weir/offload.h>

#include "rt/os.h"
#include "rt/rt_int.h"

static struct {
    _Atomic bool forbidden;
    _Atomic uint64_t done, refused;
} writes;

/* One call on its way to a thread and back. */
struct job {
    wr_err (*run)(struct job *job);
    const char *path;
    const char *to;
    const void *bytes;
    void *buf;
    uint64_t offset;
    size_t size;                /* of bytes; the most that is read */
    unsigned mode;
    char **text;
    size_t *len;
    struct wr_file_info *info;
    struct wr_file_map *map;
    wr_err err;
};

static void run_job(void *arg)
{
    struct job *job = arg;
    job->err = job->run(job);
}

static wr_err carry_out(struct job *job, wr_time deadline, const char *place)
{
    if (!fiber_self()) {
        run_job(job);
        return job->err;
    }
    wr_err err = (wr_offload)(run_job, job, deadline, place);
    return err ? err : job->err;
}

static wr_err run_read(struct job *job)
{
    return wr_os_file_read(job->text, job->len, job->path, job->size);
}

static wr_err run_look(struct job *job)
{
    return wr_os_file_look(job->info, job->path);
}

static wr_err run_write(struct job *job)
{
    return wr_os_file_write(job->path, job->bytes, job->size, job->mode);
}

static wr_err run_make_dir(struct job *job)
{
    return wr_os_file_make_dir(job->path, job->mode);
}

static wr_err run_remove(struct job *job)
{
    return wr_os_file_remove(job->path);
}

static wr_err run_remove_dir(struct job *job)
{
    return wr_os_file_remove_dir(job->path);
}

static wr_err run_copy(struct job *job)
{
    return wr_os_file_copy(job->path, job->to);
}

static wr_err run_rename(struct job *job)
{
    return wr_os_file_rename(job->path, job->to);
}

static wr_err run_sync(struct job *job)
{
    return wr_os_file_sync(job->path);
}

static wr_err run_read_part(struct job *job)
{
    return wr_os_file_read_part(job->len, job->buf, job->size, job->path, job->offset);
}

static wr_err run_write_part(struct job *job)
{
    return wr_os_file_write_part(job->path, job->offset, job->bytes, job->size);
}

static wr_err run_replace(struct job *job)
{
    return wr_os_file_replace(job->path, job->to);
}

static wr_err run_map(struct job *job)
{
    return wr_os_file_map(job->map, job->path);
}

static wr_err run_list(struct job *job)
{
    return wr_os_file_list(job->text, job->len, job->path, job->size);
}

wr_err(wr_file_read_part)(size_t *ret_len, void *buf, size_t size, const char *path,
                          uint64_t offset, wr_time deadline, const char *place)
{
    struct job job = { .run = run_read_part, .path = path, .buf = buf, .size = size,
                       .offset = offset, .len = ret_len };
    return carry_out(&job, deadline, place);
}

wr_err(wr_file_list)(char **ret, size_t *ret_len, const char *path, size_t max,
                     wr_time deadline, const char *place)
{
    struct job job =
        { .run = run_list, .path = path, .size = max, .text = ret, .len = ret_len };
    return carry_out(&job, deadline, place);
}

wr_err(wr_file_read)(char **ret, size_t *ret_len, const char *path, size_t max,
                     wr_time deadline, const char *place)
{
    struct job job =
        { .run = run_read, .path = path, .size = max, .text = ret, .len = ret_len };
    return carry_out(&job, deadline, place);
}

wr_err(wr_file_look)(struct wr_file_info *ret, const char *path, wr_time deadline,
                     const char *place)
{
    struct job job = { .run = run_look, .path = path, .info = ret };
    return carry_out(&job, deadline, place);
}

wr_err(wr_file_map)(struct wr_file_map *ret, const char *path, wr_time deadline,
                    const char *place)
{
    struct job job = { .run = run_map, .path = path, .map = ret };
    return carry_out(&job, deadline, place);
}

void wr_file_unmap(struct wr_file_map *map)
{
    if (map->at)
        wr_os_file_unmap(map);
    *map = (struct wr_file_map){ 0 };
}

/* ---- writes ---- */

static wr_err carry_out_write(struct job *job, wr_time deadline, const char *place)
{
    if (atomic_load(&writes.forbidden)) {
        atomic_fetch_add(&writes.refused, 1);
        wr_log_every(WR_S(1), WR_WARN, "file.write.forbidden", WR_F_STR("path", job->path),
                     WR_F_STR("place", place));
        return WR_DENIED;
    }
    wr_err err = carry_out(job, deadline, place);
    if (!err)
        atomic_fetch_add(&writes.done, 1);
    return err;
}

wr_err(wr_file_write_atomic)(const char *path, const void *bytes, size_t len, unsigned mode,
                             wr_time deadline, const char *place)
{
    struct job job =
        { .run = run_write, .path = path, .bytes = bytes, .size = len, .mode = mode };
    return carry_out_write(&job, deadline, place);
}

wr_err(wr_file_make_dir)(const char *path, unsigned mode, wr_time deadline, const char *place)
{
    struct job job = { .run = run_make_dir, .path = path, .mode = mode };
    return carry_out_write(&job, deadline, place);
}

wr_err(wr_file_remove)(const char *path, wr_time deadline, const char *place)
{
    struct job job = { .run = run_remove, .path = path };
    return carry_out_write(&job, deadline, place);
}

wr_err(wr_file_remove_dir)(const char *path, wr_time deadline, const char *place)
{
    struct job job = { .run = run_remove_dir, .path = path };
    return carry_out_write(&job, deadline, place);
}

wr_err(wr_file_copy)(const char *from, const char *to, wr_time deadline, const char *place)
{
    struct job job = { .run = run_copy, .path = from, .to = to };
    return carry_out_write(&job, deadline, place);
}

wr_err(wr_file_rename)(const char *from, const char *to, wr_time deadline, const char *place)
{
    struct job job = { .run = run_rename, .path = from, .to = to };
    return carry_out_write(&job, deadline, place);
}

wr_err(wr_file_replace)(const char *from, const char *to, wr_time deadline, const char *place)
{
    struct job job = { .run = run_replace, .path = from, .to = to };
    return carry_out_write(&job, deadline, place);
}

wr_err(wr_file_write_part)(const char *path, uint64_t offset, const void *bytes, size_t size,
                           wr_time deadline, const char *place)
{
    struct job job = { .run = run_write_part, .path = path, .bytes = bytes, .size = size,
                       .offset = offset };
    return carry_out_write(&job, deadline, place);
}

wr_err(wr_file_sync)(const char *path, wr_time deadline, const char *place)
{
    struct job job = { .run = run_sync, .path = path };
    return carry_out_write(&job, deadline, place);
}

void wr_file_forbid_writes(void)
{
    atomic_store(&writes.forbidden, true);
}

struct wr_file_writes wr_file_writes(void)
{
    return (struct wr_file_writes){ .done = atomic_load(&writes.done),
                                    .forbidden = atomic_load(&writes.refused) };
}

/* ---- watching ---- */

struct wr_file_watch {
    struct wr_fd *fd;
    char *path;
    const char *name;           /* its last part */
    struct wr_file_info seen;   /* all zero: it was not there */
};

static struct wr_file_info look(const char *path, wr_time deadline, const char *place)
{
    struct wr_file_info info = { 0 };
    return (wr_file_look)(&info, path, deadline, place) ? (struct wr_file_info){ 0 } : info;
}

wr_err(wr_file_watch_open)(struct wr_file_watch **ret, const char *path, const char *place)
{
    int number;
    struct wr_file_watch *made = calloc(1, sizeof(*made));
    char *folder = strdup(path);
    if (made)
        made->path = strdup(path);
    wr_err err = made && folder && made->path ? WR_OK : WR_NOMEM;
    if (err)
        goto done;
    const char *slash = strrchr(path, '/');
    made->name = made->path + (slash ? slash - path + 1 : 0);
    if (slash)
        folder[slash == path ? 1 : slash - path] = '\0';
    err = wr_os_watch_open(&number, slash ? folder : ".");
    if (err)
        goto done;
    err = (wr_fd_open)(&made->fd, number, place);
    if (err)
        wr_os_fd_close(number);
    else
        made->seen = look(path, WR_NEVER, place);
done:
    free(folder);
    if (err) {
        (wr_file_watch_close)(made, place);
        return err;
    }
    *ret = made;
    return WR_OK;
}

void(wr_file_watch_close)(struct wr_file_watch *watch, const char *place)
{
    if (!watch)
        return;
    (wr_fd_close)(watch->fd, place);
    free(watch->path);
    free(watch);
}

static bool same(const struct wr_file_info *a, const struct wr_file_info *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size
        && a->changed.ns == b->changed.ns;
}

/* An event with our name is a change.  Others are looked into: a link on the way to the
 * file may have been turned. */
wr_err(wr_file_watch_wait)(struct wr_file_watch *watch, wr_time deadline, const char *place)
{
    _Alignas(8) char events[4096];
    for (;;) {
        size_t len;
        wr_err err = (wr_fd_read)(watch->fd, &len, events, sizeof(events), deadline, place);
        if (err)
            return err;
        enum os_watch_event seen = wr_os_watch_seen(events, len, watch->name);
        if (seen == OS_WATCH_GONE)
            return WR_NOTFOUND;
        struct wr_file_info now = look(watch->path, deadline, place);
        bool changed = seen == OS_WATCH_NAMED || !same(&now, &watch->seen);
        watch->seen = now;
        if (changed)
            return WR_OK;
    }
}
