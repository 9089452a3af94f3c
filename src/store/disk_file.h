/* disk_file.h - the files of a disk, as its VFS uses them.  All calls return a result code of
 * SQLite, and want disk_lock held. */
#ifndef WR_STORE_DISK_FILE_H
#define WR_STORE_DISK_FILE_H

#include <sqlite3.h>
#include <weir/lock.h>

#include "base/rand.h"
#include "store/disk.h"

#define DISK_FILES_MAX 16
#define DISK_NAME_MAX 256
#define DISK_FILE_MAX (256 << 20)
#define DISK_SHM_REGIONS 64

struct disk_bytes { char *at; size_t len, cap; };

/* Since the last sync: a write, or a truncation to `offset`. */
struct disk_change {
    struct disk_change *next;
    bool truncates;
    size_t offset, len;
    char bytes[];
};

struct disk_file {
    char name[DISK_NAME_MAX];       /* empty: none */
    bool there, kept;               /* seen by processes; after a power cut */
    struct disk_bytes live, durable;
    struct disk_change *changes, **changes_end;
    /* Locks of the processes' connections, and the memory that they share. */
    unsigned shared;
    const void *reserved, *pending, *exclusive;
    void *shm[DISK_SHM_REGIONS];
    unsigned shm_shared[SQLITE_SHM_NLOCK];
    const void *shm_exclusive[SQLITE_SHM_NLOCK];
};

struct disk {
    sqlite3_vfs vfs;
    struct wr_mutex lock;
    struct wr_rand rand;
    uint64_t changes;
    unsigned open;                  /* handles */
    bool armed, dead;
    enum disk_fault fault;
    uint64_t fault_at;
    bool full, denied;
    int error;                      /* errno of the last failure */
    struct disk_file files[DISK_FILES_MAX];
};

struct disk_file *disk_find(struct disk *disk, const char *name);
struct disk_file *disk_create(struct disk *disk, const char *name);

int disk_read(struct disk *disk, struct disk_file *file, void *buf, size_t len, size_t offset);
int disk_write(struct disk *disk, struct disk_file *file, const void *buf, size_t len,
               size_t offset);
int disk_truncate(struct disk *disk, struct disk_file *file, size_t len);
int disk_sync(struct disk *disk, struct disk_file *file);
int disk_remove(struct disk *disk, struct disk_file *file);

/* disk_vfs.c: SQLite's methods over it. */
void disk_vfs_init(struct disk *disk, const char *name);

#endif
