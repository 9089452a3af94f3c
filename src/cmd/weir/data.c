/* data.c - whether a data directory can be had: see data.h. */
#include "cmd/weir/data.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#define ELSEWHERE "give another --data, "
#define OR_NOTHING "or --amnesia to keep nothing"

#define ORPHAN_MS 1000              /* for which a child just born may outlive its node */
#define ORPHAN_PAUSE_MS 10

static const char other[] = ELSEWHERE OR_NOTHING;
static const char rights[] = ELSEWHERE "the right to write there (chown), " OR_NOTHING;
static const char room[] = "make room there, " ELSEWHERE OR_NOTHING;

/* What exists of a path, from its beginning; a link does that leads nowhere. */
static void cut_to_what_exists(char *path)
{
    struct stat info;
    while (strlen(path) > 1 && lstat(path, &info)) {
        char *slash = strrchr(path, '/');
        if (!slash)
            snprintf(path, 2, ".");
        else
            slash[slash == path] = '\0';
    }
}

/* Files of the system itself: everything may be written there, and nothing made. */
static bool is_systems_own(const char *path)
{
    struct statfs fs;
    return statfs(path, &fs) == 0
        && (fs.f_type == PROC_SUPER_MAGIC || fs.f_type == SYSFS_MAGIC);
}

/* Some file systems have no number of files, and say 0 of 0. */
static bool is_full(const char *path)
{
    struct statvfs disk;
    return statvfs(path, &disk) == 0
        && ((geteuid() ? disk.f_bavail : disk.f_bfree) == 0
            || (disk.f_files > 0 && (geteuid() ? disk.f_favail : disk.f_ffree) == 0));
}

bool data_usable(const char *data, char *ret, size_t size, const char **ret_fix)
{
    char path[4200];
    struct stat info;
    snprintf(path, sizeof(path), "%s", data);
    cut_to_what_exists(path);
    *ret_fix = other;
    if (stat(path, &info)) {
        bool link = errno == ENOENT && lstat(path, &info) == 0;
        snprintf(ret, size, link ? "%s is a link to what is not there%s" : "%s: %s", path,
                 link ? "" : strerror(errno));
    } else if (!S_ISDIR(info.st_mode)) {
        snprintf(ret, size, "%s is not a folder", path);
    } else if (is_systems_own(path)) {
        snprintf(ret, size, "%s is the system's own, and no files can be made there", path);
    } else if (access(path, W_OK | X_OK)) {
        snprintf(ret, size, "user %u may not write in %s: %s", (unsigned)geteuid(), path,
                 strerror(errno));
        *ret_fix = rights;
    } else if (is_full(path)) {
        snprintf(ret, size, "no space is left where %s is (df -h, df -i)", path);
        *ret_fix = room;
    } else {
        snprintf(ret, size, "%s", path);
        return true;
    }
    return false;
}

/* A lock that others may have as well, and that is given back at once. */
bool data_in_use(const char *data, char *ret, size_t size)
{
    char path[4200];
    snprintf(path, sizeof(path), "%s/lock", data);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool taken = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
    if (taken)
        data_signature(fd, ret, size);
    if (fd >= 0)
        close(fd);
    return taken;
}

/* Whether who has signed a lock is gone. */
static bool signer_is_gone(int fd)
{
    int pid;
    char text[DATA_SIGNATURE];
    data_signature(fd, text, sizeof(text));
    return sscanf(text, "pid %d,", &pid) == 1 && pid > 0 && kill(pid, 0) && errno == ESRCH;
}

bool data_lock(int fd)
{
    const struct timespec pause = { .tv_nsec = ORPHAN_PAUSE_MS * 1000000L };
    for (int tries = ORPHAN_MS / ORPHAN_PAUSE_MS; flock(fd, LOCK_EX | LOCK_NB); tries--) {
        if (errno != EWOULDBLOCK)
            return false;
        if (!tries || !signer_is_gone(fd)) {
            errno = EWOULDBLOCK;
            return false;
        }
        nanosleep(&pause, NULL);
    }
    return true;
}

int data_take(const char *data, const char *who, char *ret, size_t size)
{
    char text[4200];
    snprintf(text, sizeof(text), "%s/lock", data);
    int fd = open(text, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0 && data_lock(fd)) {
        int len = snprintf(text, sizeof(text), "pid %d, %s\n", (int)getpid(), who);
        if (ftruncate(fd, 0) == 0 && pwrite(fd, text, (size_t)len, 0) == len)
            return fd;
    }
    if (fd >= 0 && errno == EWOULDBLOCK)
        data_signature(fd, ret, size);
    else
        snprintf(ret, size, "%s", strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}

void data_signature(int fd, char *ret, size_t size)
{
    ssize_t len = pread(fd, ret, size - 1, 0);
    ret[len > 0 ? len : 0] = '\0';
    ret[strcspn(ret, "\n")] = '\0';
    if (!ret[0])
        snprintf(ret, size, "it has not said where");
}
