/* disk_vfs.c - SQLite's file methods over a disk in memory.
 *
 * Locks are as SQLite defines them: many may share a file, one may be preparing to write it,
 * one has it alone.  The memory that connections share is on the heap.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <weir/time.h>
#include <weir/timer.h>

#include "base/world.h"
#include "rt/hooks.h"
#include "store/disk_file.h"

#define JULIAN_1970_MS 210866760000000

struct handle {
    sqlite3_file base;
    struct disk *disk;
    struct disk_file *file;
    int lock;
    uint16_t shm_shared, shm_exclusive;     /* its locks of the shared memory, as bits */
    bool remove;                            /* when it is closed */
};

static struct handle *enter(sqlite3_file *base)
{
    struct handle *handle = (struct handle *)base;
    wr_mutex_lock(&handle->disk->lock);
    return handle;
}

static int leave(struct handle *handle, int code)
{
    wr_mutex_unlock(&handle->disk->lock);
    return code;
}

/* ---- content ---- */

static int file_read(sqlite3_file *base, void *buf, int len, sqlite3_int64 offset)
{
    struct handle *handle = enter(base);
    return leave(handle, disk_read(handle->disk, handle->file, buf, (size_t)len,
                                   (size_t)offset));
}

static int file_write(sqlite3_file *base, const void *buf, int len, sqlite3_int64 offset)
{
    struct handle *handle = enter(base);
    return leave(handle, disk_write(handle->disk, handle->file, buf, (size_t)len,
                                    (size_t)offset));
}

static int file_truncate(sqlite3_file *base, sqlite3_int64 len)
{
    struct handle *handle = enter(base);
    return leave(handle, disk_truncate(handle->disk, handle->file, (size_t)len));
}

static int file_sync(sqlite3_file *base, int flags)
{
    struct handle *handle = enter(base);
    (void)flags;
    return leave(handle, disk_sync(handle->disk, handle->file));
}

static int file_size(sqlite3_file *base, sqlite3_int64 *ret)
{
    struct handle *handle = enter(base);
    *ret = (sqlite3_int64)handle->file->live.len;
    return leave(handle, SQLITE_OK);
}

/* ---- locks of a file ---- */

static void unlock_to(struct handle *handle, int level)
{
    struct disk_file *file = handle->file;
    if (level < SQLITE_LOCK_RESERVED) {
        if (file->reserved == handle)
            file->reserved = NULL;
        if (file->pending == handle)
            file->pending = NULL;
        if (file->exclusive == handle)
            file->exclusive = NULL;
    }
    if (level < SQLITE_LOCK_SHARED && handle->lock >= SQLITE_LOCK_SHARED)
        file->shared--;
    if (level < handle->lock)
        handle->lock = level;
}

static int lock_to(struct handle *handle, int level)
{
    struct disk_file *file = handle->file;
    if (level <= handle->lock)
        return SQLITE_OK;
    if (handle->lock == SQLITE_LOCK_NONE) {
        if (file->exclusive || file->pending)
            return SQLITE_BUSY;
        file->shared++;
        handle->lock = SQLITE_LOCK_SHARED;
    }
    if (level >= SQLITE_LOCK_RESERVED && handle->lock < SQLITE_LOCK_RESERVED) {
        if (file->reserved && file->reserved != handle)
            return SQLITE_BUSY;
        file->reserved = handle;
        handle->lock = SQLITE_LOCK_RESERVED;
    }
    if (level == SQLITE_LOCK_EXCLUSIVE) {
        file->pending = handle;
        handle->lock = SQLITE_LOCK_PENDING;
        if (file->shared > 1)
            return SQLITE_BUSY;
        file->exclusive = handle;
        handle->lock = SQLITE_LOCK_EXCLUSIVE;
    }
    return SQLITE_OK;
}

static int file_lock(sqlite3_file *base, int level)
{
    struct handle *handle = enter(base);
    return leave(handle, lock_to(handle, level));
}

static int file_unlock(sqlite3_file *base, int level)
{
    struct handle *handle = enter(base);
    unlock_to(handle, level);
    return leave(handle, SQLITE_OK);
}

static int file_reserved(sqlite3_file *base, int *ret)
{
    struct handle *handle = enter(base);
    *ret = handle->file->reserved != NULL;
    return leave(handle, SQLITE_OK);
}

/* ---- the shared memory ---- */

static int shm_map(sqlite3_file *base, int region, int size, int extend, void volatile **ret)
{
    struct handle *handle = enter(base);
    *ret = NULL;
    if (region >= DISK_SHM_REGIONS)
        return leave(handle, SQLITE_FULL);
    void **at = &handle->file->shm[region];
    if (!*at && extend)
        *at = calloc(1, (size_t)size);
    *ret = *at;
    return leave(handle, *at || !extend ? SQLITE_OK : SQLITE_IOERR_NOMEM);
}

static bool shm_free(const struct handle *handle, int i, bool alone)
{
    const struct disk_file *file = handle->file;
    if (file->shm_exclusive[i] && file->shm_exclusive[i] != handle)
        return false;
    unsigned mine = (handle->shm_shared >> i) & 1;
    return !alone || file->shm_shared[i] == mine;
}

static void shm_set(struct handle *handle, int i, int flags)
{
    struct disk_file *file = handle->file;
    uint16_t bit = (uint16_t)(1u << i);
    if (flags & SQLITE_SHM_EXCLUSIVE) {
        bool lock = flags & SQLITE_SHM_LOCK;
        file->shm_exclusive[i] = lock ? handle : NULL;
        handle->shm_exclusive = (uint16_t)(lock ? handle->shm_exclusive | bit
                                                : handle->shm_exclusive & ~bit);
    } else if (flags & SQLITE_SHM_LOCK) {
        if (!(handle->shm_shared & bit))
            file->shm_shared[i]++;
        handle->shm_shared |= bit;
    } else {
        if (handle->shm_shared & bit)
            file->shm_shared[i]--;
        handle->shm_shared = (uint16_t)(handle->shm_shared & ~bit);
    }
}

static int shm_lock(sqlite3_file *base, int first, int count, int flags)
{
    struct handle *handle = enter(base);
    bool lock = flags & SQLITE_SHM_LOCK, alone = flags & SQLITE_SHM_EXCLUSIVE;
    for (int i = first; i < first + count && lock; i++)
        if (!shm_free(handle, i, alone))
            return leave(handle, SQLITE_BUSY);
    for (int i = first; i < first + count; i++)
        if (lock || !alone || handle->file->shm_exclusive[i] == handle)
            shm_set(handle, i, flags);
    return leave(handle, SQLITE_OK);
}

static void shm_barrier(sqlite3_file *base)
{
    (void)leave(enter(base), SQLITE_OK);
}

/* The memory stays: who opens the file next finds it as a process on a real machine would,
 * unless all have gone. */
static int shm_unmap(sqlite3_file *base, int remove)
{
    struct handle *handle = enter(base);
    for (int i = 0; i < SQLITE_SHM_NLOCK; i++) {
        shm_set(handle, i, SQLITE_SHM_UNLOCK | SQLITE_SHM_SHARED);
        if (handle->file->shm_exclusive[i] == handle)
            shm_set(handle, i, SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE);
    }
    for (int i = 0; i < DISK_SHM_REGIONS && remove; i++) {
        free(handle->file->shm[i]);
        handle->file->shm[i] = NULL;
    }
    return leave(handle, SQLITE_OK);
}

/* ---- the rest of a file ---- */

static int file_close(sqlite3_file *base)
{
    struct handle *handle = enter(base);
    unlock_to(handle, SQLITE_LOCK_NONE);
    handle->disk->open--;
    if (handle->remove && handle->file->there)
        (void)disk_remove(handle->disk, handle->file);
    return leave(handle, SQLITE_OK);
}

static int file_control(sqlite3_file *base, int what, void *arg)
{
    (void)base;
    (void)what;
    (void)arg;
    return SQLITE_NOTFOUND;
}

static int sector_size(sqlite3_file *base)
{
    (void)base;
    return 512;
}

static int characteristics(sqlite3_file *base)
{
    (void)base;
    return 0;
}

static const sqlite3_io_methods methods = {
    .iVersion = 2, .xClose = file_close, .xRead = file_read, .xWrite = file_write,
    .xTruncate = file_truncate, .xSync = file_sync, .xFileSize = file_size,
    .xLock = file_lock, .xUnlock = file_unlock, .xCheckReservedLock = file_reserved,
    .xFileControl = file_control, .xSectorSize = sector_size,
    .xDeviceCharacteristics = characteristics, .xShmMap = shm_map, .xShmLock = shm_lock,
    .xShmBarrier = shm_barrier, .xShmUnmap = shm_unmap,
};

/* ---- the disk ---- */

static struct disk *disk_of(sqlite3_vfs *vfs)
{
    return vfs->pAppData;
}

static int disk_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags,
                     int *ret_flags)
{
    struct disk *disk = disk_of(vfs);
    struct handle *handle = (struct handle *)base;
    *handle = (struct handle){ .disk = disk, .remove = flags & SQLITE_OPEN_DELETEONCLOSE };
    wr_mutex_lock(&disk->lock);
    handle->file = name && !disk->dead ? disk_find(disk, name) : NULL;
    disk->error = disk->dead ? EIO : ENOENT;
    if (!handle->file && name && (flags & SQLITE_OPEN_CREATE) && !disk->dead)
        handle->file = disk_create(disk, name);
    if (handle->file) {
        handle->base.pMethods = &methods;
        disk->open++;
    }
    wr_mutex_unlock(&disk->lock);
    if (ret_flags)
        *ret_flags = flags;
    return handle->file ? SQLITE_OK : SQLITE_CANTOPEN;
}

static int disk_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
    struct disk *disk = disk_of(vfs);
    (void)sync;
    wr_mutex_lock(&disk->lock);
    struct disk_file *file = disk_find(disk, name);
    int code = file ? disk_remove(disk, file) : SQLITE_IOERR_DELETE_NOENT;
    wr_mutex_unlock(&disk->lock);
    return code;
}

static int disk_access(sqlite3_vfs *vfs, const char *name, int flags, int *ret)
{
    struct disk *disk = disk_of(vfs);
    (void)flags;
    wr_mutex_lock(&disk->lock);
    *ret = disk_find(disk, name) != NULL;
    wr_mutex_unlock(&disk->lock);
    return SQLITE_OK;
}

static int disk_full_path(sqlite3_vfs *vfs, const char *name, int size, char *ret)
{
    (void)vfs;
    size_t len = strlen(name);
    if (len >= (size_t)size)
        return SQLITE_CANTOPEN;
    memcpy(ret, name, len + 1);
    return SQLITE_OK;
}

static int randomness(sqlite3_vfs *vfs, int size, char *ret)
{
    (void)vfs;
    wr_world->entropy(ret, (size_t)size);
    return size;
}

/* In a simulation a fiber is here, and who has the lock is another that waits for its turn.  On
 * a thread of its own nobody need wait: who has a lock gives it back at once. */
static int disk_nap(sqlite3_vfs *vfs, int span)
{
    (void)vfs;
    if (wr_task_number())
        (void)!wr_sleep(wr_after(span * WR_US(1)));
    return span;
}

static int current_time(sqlite3_vfs *vfs, sqlite3_int64 *ret)
{
    (void)vfs;
    *ret = wr_wall().ns / WR_MS(1) + JULIAN_1970_MS;
    return SQLITE_OK;
}

static int last_error(sqlite3_vfs *vfs, int size, char *ret)
{
    (void)size;
    (void)ret;
    return disk_of(vfs)->error;
}

void disk_vfs_init(struct disk *disk, const char *name)
{
    disk->vfs = (sqlite3_vfs){
        .iVersion = 2, .szOsFile = sizeof(struct handle), .mxPathname = DISK_NAME_MAX - 1,
        .zName = name, .pAppData = disk, .xOpen = disk_open, .xDelete = disk_delete,
        .xAccess = disk_access, .xFullPathname = disk_full_path, .xRandomness = randomness,
        .xSleep = disk_nap, .xGetLastError = last_error, .xCurrentTimeInt64 = current_time,
    };
}
