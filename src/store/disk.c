/* disk.c - files, what of them is safe, and what happens to the rest. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/disk_file.h"

#define SECTOR 512
#define LOCK_RANK 900               /* SQLite calls from under anything */

/* ---- bytes ---- */

static bool bytes_resize(struct disk_bytes *bytes, size_t len)
{
    if (len > bytes->cap) {
        size_t cap = bytes->cap ? bytes->cap : 4096;
        while (cap < len)
            cap *= 2;
        char *grown = realloc(bytes->at, cap);
        if (!grown)
            return false;
        bytes->at = grown;
        bytes->cap = cap;
    }
    if (len > bytes->len)
        memset(bytes->at + bytes->len, 0, len - bytes->len);
    bytes->len = len;
    return true;
}

static bool bytes_put(struct disk_bytes *bytes, const void *from, size_t len, size_t offset)
{
    if (offset + len > bytes->len && !bytes_resize(bytes, offset + len))
        return false;
    if (len)
        memcpy(bytes->at + offset, from, len);
    return true;
}

/* ---- what is not safe yet ---- */

static void forget_changes(struct disk_file *file)
{
    while (file->changes) {
        struct disk_change *next = file->changes->next;
        free(file->changes);
        file->changes = next;
    }
    file->changes_end = &file->changes;
}

static bool remember(struct disk_file *file, bool truncates, const void *buf, size_t len,
                     size_t offset)
{
    struct disk_change *change = malloc(sizeof(*change) + len);
    if (!change)
        return false;
    *change = (struct disk_change){ .truncates = truncates, .offset = offset, .len = len };
    if (len)
        memcpy(change->bytes, buf, len);
    *file->changes_end = change;
    file->changes_end = &change->next;
    return true;
}

static void keep(struct disk_file *file, const struct disk_change *change)
{
    if (change->truncates)
        WR_ASSERT(bytes_resize(&file->durable, change->offset));
    else
        WR_ASSERT(bytes_put(&file->durable, change->bytes, change->len, change->offset));
}

static bool coin(struct disk *disk)
{
    return wr_rand_below(&disk->rand, 2) == 0;
}

/* Each sector of a write reaches the disk or does not. */
static void keep_perhaps(struct disk *disk, struct disk_file *file,
                         const struct disk_change *change)
{
    if (change->truncates) {
        if (coin(disk))
            keep(file, change);
        return;
    }
    for (size_t at = 0; at < change->len;) {
        size_t end = ((change->offset + at) / SECTOR + 1) * SECTOR - change->offset;
        if (end > change->len)
            end = change->len;
        if (coin(disk))
            WR_ASSERT(bytes_put(&file->durable, change->bytes + at, end - at,
                                change->offset + at));
        at = end;
    }
}

static void lose_power(struct disk *disk)
{
    for (size_t i = 0; i < DISK_FILES_MAX; i++) {
        struct disk_file *file = &disk->files[i];
        for (const struct disk_change *change = file->changes; change; change = change->next)
            keep_perhaps(disk, file, change);
        forget_changes(file);
        if (file->there != file->kept)
            file->there = coin(disk);
        file->kept = file->there;
        if (!file->there)
            file->durable.len = 0;
        WR_ASSERT(bytes_resize(&file->live, 0));
        WR_ASSERT(bytes_put(&file->live, file->durable.at, file->durable.len, 0));
    }
}

/* ---- faults ---- */

static int refuse(struct disk *disk, int error, int code)
{
    disk->error = error;
    return code;
}

/* One change more: whether it fails, and with what. */
static int count(struct disk *disk, int code)
{
    if (disk->dead)
        return refuse(disk, EIO, code);
    uint64_t number = disk->changes++;
    if (!disk->armed || number < disk->fault_at)
        return disk->denied ? refuse(disk, EROFS, code) : SQLITE_OK;
    disk->armed = false;
    switch (disk->fault) {
    case DISK_KILL:
    case DISK_POWER: disk->dead = true; break;
    case DISK_FULL: disk->full = true; return SQLITE_OK;
    case DISK_DENIED: disk->denied = true; return refuse(disk, EROFS, code);
    case DISK_ERROR: break;
    }
    return refuse(disk, EIO, code);
}

/* ---- files ---- */

struct disk_file *disk_find(struct disk *disk, const char *name)
{
    for (size_t i = 0; i < DISK_FILES_MAX; i++)
        if (disk->files[i].there && strcmp(disk->files[i].name, name) == 0)
            return &disk->files[i];
    return NULL;
}

struct disk_file *disk_create(struct disk *disk, const char *name)
{
    struct disk_file *free_one = NULL;
    size_t len = strlen(name);
    for (size_t i = 0; i < DISK_FILES_MAX; i++) {
        struct disk_file *file = &disk->files[i];
        if (strcmp(file->name, name) == 0) {
            free_one = file;
            break;
        }
        if (!free_one && !file->name[0])
            free_one = file;
    }
    if (!free_one || len >= DISK_NAME_MAX)
        return NULL;
    memcpy(free_one->name, name, len + 1);
    free_one->there = true;
    free_one->live.len = 0;
    forget_changes(free_one);
    return free_one;
}

int disk_read(struct disk *disk, struct disk_file *file, void *buf, size_t len, size_t offset)
{
    if (disk->dead)
        return refuse(disk, EIO, SQLITE_IOERR_READ);
    size_t have = offset < file->live.len ? file->live.len - offset : 0;
    size_t take = have < len ? have : len;
    if (take)
        memcpy(buf, file->live.at + offset, take);
    memset((char *)buf + take, 0, len - take);
    return take == len ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

int disk_write(struct disk *disk, struct disk_file *file, const void *buf, size_t len,
               size_t offset)
{
    int code = count(disk, SQLITE_IOERR_WRITE);
    if (code != SQLITE_OK)
        return code;
    if (offset + len > file->live.len && (disk->full || offset + len > DISK_FILE_MAX))
        return refuse(disk, ENOSPC, SQLITE_FULL);
    if (!remember(file, false, buf, len, offset)
        || !bytes_put(&file->live, buf, len, offset))
        return SQLITE_IOERR_NOMEM;
    return SQLITE_OK;
}

int disk_truncate(struct disk *disk, struct disk_file *file, size_t len)
{
    int code = count(disk, SQLITE_IOERR_TRUNCATE);
    if (code != SQLITE_OK)
        return code;
    if (!remember(file, true, NULL, 0, len) || !bytes_resize(&file->live, len))
        return SQLITE_IOERR_NOMEM;
    return SQLITE_OK;
}

int disk_sync(struct disk *disk, struct disk_file *file)
{
    int code = count(disk, SQLITE_IOERR_FSYNC);
    if (code == SQLITE_OK) {
        for (const struct disk_change *change = file->changes; change; change = change->next)
            keep(file, change);
        file->kept = true;
    }
    if (!disk->dead)
        forget_changes(file);
    return code;
}

int disk_remove(struct disk *disk, struct disk_file *file)
{
    int code = count(disk, SQLITE_IOERR_DELETE);
    if (code != SQLITE_OK)
        return code;
    file->there = file->kept = false;
    file->live.len = file->durable.len = 0;
    forget_changes(file);
    return SQLITE_OK;
}

/* ---- the disk ---- */

wr_err disk_new(struct disk **ret, const char *name, uint64_t seed)
{
    struct disk *disk = calloc(1, sizeof(*disk));
    if (!disk)
        return WR_NOMEM;
    disk->lock = (struct wr_mutex)WR_MUTEX("store.disk", LOCK_RANK);
    wr_rand_seed(&disk->rand, seed);
    for (size_t i = 0; i < DISK_FILES_MAX; i++)
        forget_changes(&disk->files[i]);
    disk_vfs_init(disk, name);
    if (sqlite3_vfs_register(&disk->vfs, 0) != SQLITE_OK) {
        free(disk);
        return WR_NOMEM;
    }
    *ret = disk;
    return WR_OK;
}

static void drop_shm(struct disk_file *file)
{
    for (size_t i = 0; i < DISK_SHM_REGIONS; i++) {
        free(file->shm[i]);
        file->shm[i] = NULL;
    }
}

void disk_free(struct disk *disk)
{
    if (!disk)
        return;
    sqlite3_vfs_unregister(&disk->vfs);
    for (size_t i = 0; i < DISK_FILES_MAX; i++) {
        struct disk_file *file = &disk->files[i];
        forget_changes(file);
        drop_shm(file);
        free(file->live.at);
        free(file->durable.at);
    }
    wr_mutex_fini(&disk->lock);
    free(disk);
}

void disk_break(struct disk *disk, enum disk_fault fault, uint64_t n)
{
    wr_mutex_lock(&disk->lock);
    disk->armed = true;
    disk->fault = fault;
    disk->fault_at = disk->changes + n;
    wr_mutex_unlock(&disk->lock);
}

void disk_mend(struct disk *disk)
{
    wr_mutex_lock(&disk->lock);
    disk->armed = disk->full = disk->denied = false;
    wr_mutex_unlock(&disk->lock);
}

void disk_restart(struct disk *disk)
{
    wr_mutex_lock(&disk->lock);
    WR_ASSERT(disk->open == 0);
    if (disk->dead && disk->fault == DISK_POWER)
        lose_power(disk);
    disk->dead = disk->armed = false;
    for (size_t i = 0; i < DISK_FILES_MAX; i++) {
        struct disk_file *file = &disk->files[i];
        drop_shm(file);
        file->shared = 0;
        file->reserved = file->pending = file->exclusive = NULL;
        memset(file->shm_shared, 0, sizeof(file->shm_shared));
        memset(file->shm_exclusive, 0, sizeof(file->shm_exclusive));
    }
    wr_mutex_unlock(&disk->lock);
}

uint64_t disk_changes(struct disk *disk)
{
    wr_mutex_lock(&disk->lock);
    uint64_t changes = disk->changes;
    wr_mutex_unlock(&disk->lock);
    return changes;
}
