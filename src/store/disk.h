/* disk.h - a disk in memory that fails as disks do, for SQLite.
 *
 *     struct disk *disk;
 *     err = disk_new(&disk, "test.disk", seed);
 *     err = store_open(&store, &(struct store_conf){ .url = "sqlite:/weir.db",
 *                                                    .disk = "test.disk" }, ...);
 *     disk_break(disk, DISK_POWER, 17);       (at the 17th change from now)
 *     ...                                     (from there on nothing reaches the disk)
 *     store_close(store, ...);
 *     disk_restart(disk);
 *     err = store_open(...)                   (on what was left)
 *
 * A change is a write, a truncation, a sync or a removal.  What was written and not synced is
 * seen by every reader, and lost or kept at a power cut sector by sector, as the seed has it.
 * After a sync that failed the writes before it are never kept, as on Linux: only writing them
 * again can help.
 *
 * Any thread may use it; SQLite does, through the VFS of the disk's name.
 */
#ifndef WR_STORE_DISK_H
#define WR_STORE_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>

struct disk;

enum disk_fault {
    DISK_KILL,          /* the process ends: the disk keeps all that was written */
    DISK_POWER,         /* the machine loses power: it keeps what was synced, surely */
    DISK_FULL,          /* nothing can grow ... */
    DISK_DENIED,        /* nothing can be written: a disk that became read-only ... */
    DISK_ERROR,         /* one change fails: EIO */
};

/* The name must outlive it.  Errors: NOMEM. */
wr_err disk_new(struct disk **ret, const char *name, uint64_t seed);

/* Nothing may be open on it. */
void disk_free(struct disk *disk);

/* Let it happen at the n-th change from now on; 0 is the next one. */
void disk_break(struct disk *disk, enum disk_fault fault, uint64_t n);

/* ... until it is mended. */
void disk_mend(struct disk *disk);

/* After DISK_KILL or DISK_POWER: a new process finds what was left.  The old one must have
 * closed all, which changes nothing any more. */
void disk_restart(struct disk *disk);

/* How many changes there were. */
uint64_t disk_changes(struct disk *disk);

#endif
