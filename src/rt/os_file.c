/* os_file.c - files, as the system has them. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/world.h"
#include "rt/os.h"

static wr_err failed(int fd)
{
    int number = errno;
    if (fd >= 0)
        close(fd);
    return wr_err_errno(number);
}

/* ---- reading ---- */

/* One byte more than allowed is asked for: a file may grow while it is read. */
static wr_err read_all(int fd, char *buf, size_t max, size_t *ret_len)
{
    size_t len = 0;
    while (len <= max) {
        ssize_t n = read(fd, buf + len, max + 1 - len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return wr_err_errno(errno);
        if (n == 0)
            break;
        len += (size_t)n;
    }
    if (len > max)
        return WR_INVALID;
    *ret_len = len;
    return WR_OK;
}

wr_err wr_os_file_read(char **ret, size_t *ret_len, const char *path, size_t max)
{
    struct stat is;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return failed(fd);
    wr_err err = fstat(fd, &is) != 0                      ? wr_err_errno(errno)
        : !S_ISREG(is.st_mode) || (uint64_t)is.st_size > max ? WR_INVALID
                                                          : WR_OK;
    bool known = is.st_size > 0 && (size_t)is.st_size + 4096 < max;
    size_t room = err ? 0 : known ? (size_t)is.st_size + 4096 : max;
    char *buf = err ? NULL : malloc(room + 2);
    if (!err)
        err = buf ? read_all(fd, buf, room, ret_len) : WR_NOMEM;
    close(fd);
    if (err) {
        free(buf);
        return err;
    }
    buf[*ret_len] = '\0';
    *ret = buf;
    return WR_OK;
}

static void look_at_disk(struct wr_file_info *info, const char *path)
{
    struct statfs fs;
    if (statfs(path, &fs) != 0)
        return;
    info->in_memory = fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC;
    info->disk_size = (uint64_t)fs.f_blocks * (uint64_t)fs.f_bsize;
    info->disk_left = (uint64_t)fs.f_bavail * (uint64_t)fs.f_bsize;
}

wr_err wr_os_file_look(struct wr_file_info *ret, const char *path)
{
    struct stat is;
    if (stat(path, &is) != 0)
        return wr_err_errno(errno);
    *ret = (struct wr_file_info){
        .regular = S_ISREG(is.st_mode),
        .directory = S_ISDIR(is.st_mode),
        .mode = is.st_mode & 07777,
        .uid = is.st_uid,
        .size = (uint64_t)is.st_size,
        .device = is.st_dev,
        .inode = is.st_ino,
        .changed = { is.st_mtim.tv_sec * 1000000000 + is.st_mtim.tv_nsec },
    };
    look_at_disk(ret, path);
    return WR_OK;
}

/* ---- writing ---- */

static bool write_all(int fd, const char *at, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, at, len);
        if (n < 0 && errno != EINTR)
            return false;
        if (n > 0) {
            at += n;
            len -= (size_t)n;
        }
    }
    return true;
}

/* The folder of a path, opened; a rename is safe once the folder is. */
static int open_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path))
                         : strdup(".");
    int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    free(folder);
    return fd;
}

/* The temporary name is beside the path and cannot be guessed: two writers never meet. */
wr_err wr_os_file_write(const char *path, const void *bytes, size_t len, unsigned mode)
{
    uint64_t random;
    char temporary[4096];
    wr_world->entropy(&random, sizeof(random));
    int made = snprintf(temporary, sizeof(temporary), "%s.%016llx", path,
                        (unsigned long long)random);
    if (made >= (int)sizeof(temporary))
        return WR_INVALID;
    int folder = open_folder(path);
    if (folder < 0)
        return failed(-1);
    int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return failed(folder);
    bool good = write_all(fd, bytes, len) && fchmod(fd, mode) == 0 && fsync(fd) == 0
        && rename(temporary, path) == 0;
    if (!good) {
        int number = errno;
        unlink(temporary);
        errno = number;
    }
    close(fd);
    good = good && fsync(folder) == 0;
    wr_err err = good ? WR_OK : wr_err_errno(errno);
    close(folder);
    return err;
}

/* From the front: each part of the path in its turn. */
wr_err wr_os_file_remove(const char *path)
{
    return unlink(path) == 0 ? WR_OK : wr_err_errno(errno);
}

wr_err wr_os_file_make_dir(const char *path, unsigned mode)
{
    struct stat is;
    char *part = strdup(path);
    if (!part)
        return WR_NOMEM;
    for (char *at = part + 1; *at; at++)
        if (*at == '/') {
            *at = '\0';
            mkdir(part, mode);          /* the last one will tell whether it worked */
            *at = '/';
        }
    wr_err err = mkdir(part, mode) == 0 ? WR_OK : wr_err_errno(errno);
    if (err == WR_EXISTS && stat(part, &is) == 0 && S_ISDIR(is.st_mode))
        err = WR_OK;
    free(part);
    return err;
}

wr_err wr_os_file_remove_dir(const char *path)
{
    if (rmdir(path) == 0)
        return WR_OK;
    return errno == ENOTEMPTY ? WR_EXISTS : wr_err_errno(errno);
}

wr_err wr_os_file_copy(const char *from, const char *to)
{
    static const size_t size = 256 << 10;
    struct stat is;
    ssize_t n = 0;
    int in = open(from, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (in < 0)
        return failed(in);
    if (fstat(in, &is) != 0 || !S_ISREG(is.st_mode)) {
        close(in);
        return WR_INVALID;
    }
    int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (out < 0)
        return failed(in);
    char *buf = malloc(size);
    bool good = buf;
    while (good && (n = read(in, buf, size)) != 0)
        good = n > 0 ? write_all(out, buf, (size_t)n) : errno == EINTR;
    int number = buf ? errno : ENOMEM;
    free(buf);
    close(in);
    if (close(out) != 0 && good) {
        number = errno;
        good = false;
    }
    if (!good)
        unlink(to);
    return good ? WR_OK : wr_err_errno(number);
}

static bool sync_folder_of(const char *path)
{
    int folder = open_folder(path);
    bool good = folder >= 0 && fsync(folder) == 0;
    if (folder >= 0)
        close(folder);
    return good;
}

wr_err wr_os_file_rename(const char *from, const char *to)
{
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) != 0)
        return wr_err_errno(errno);
    return sync_folder_of(to) && sync_folder_of(from) ? WR_OK : wr_err_errno(errno);
}

wr_err wr_os_file_replace(const char *from, const char *to)
{
    if (rename(from, to) != 0)
        return wr_err_errno(errno);
    return sync_folder_of(to) && sync_folder_of(from) ? WR_OK : wr_err_errno(errno);
}

wr_err wr_os_file_sync(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || syncfs(fd) != 0)
        return failed(fd);
    close(fd);
    return WR_OK;
}

/* ---- parts and folders ---- */

wr_err wr_os_file_read_part(size_t *ret_len, void *buf, size_t size, const char *path,
                            uint64_t offset)
{
    struct stat is;
    size_t len = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return failed(fd);
    if (fstat(fd, &is) != 0 || !S_ISREG(is.st_mode)) {
        close(fd);
        return WR_INVALID;
    }
    while (len < size) {
        ssize_t n = pread(fd, (char *)buf + len, size - len, (off_t)(offset + len));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return failed(fd);
        if (n == 0)
            break;
        len += (size_t)n;
    }
    close(fd);
    *ret_len = len;
    return WR_OK;
}

wr_err wr_os_file_write_part(const char *path, uint64_t offset, const void *bytes, size_t size)
{
    struct stat is;
    size_t len = 0;
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW,
                  0600);
    if (fd < 0)
        return failed(fd);
    if (fstat(fd, &is) != 0 || !S_ISREG(is.st_mode)) {
        close(fd);
        return WR_INVALID;
    }
    while (len < size) {
        ssize_t n =
            pwrite(fd, (const char *)bytes + len, size - len, (off_t)(offset + len));
        if (n < 0 && errno != EINTR)
            return failed(fd);
        len += n > 0 ? (size_t)n : 0;
    }
    return close(fd) == 0 ? WR_OK : wr_err_errno(errno);
}

wr_err wr_os_file_map(struct wr_file_map *ret, const char *path)
{
    struct stat is;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return failed(fd);
    if (fstat(fd, &is) != 0 || !S_ISREG(is.st_mode)) {
        close(fd);
        return WR_INVALID;
    }
    struct wr_file_map map = { .size = (size_t)is.st_size };
    if (map.size > 0) {
        void *at = mmap(NULL, map.size, PROT_READ, MAP_SHARED, fd, 0);
        if (at == MAP_FAILED)
            return failed(fd);
        map.at = at;
    }
    close(fd);
    *ret = map;
    return WR_OK;
}

void wr_os_file_unmap(const struct wr_file_map *map)
{
    munmap((void *)(uintptr_t)map->at, map->size);
}

/* One name more; false: there is no memory. */
static bool add_name(char **text, size_t *len, size_t *room, const char *name)
{
    size_t size = strlen(name) + 1;
    if (*len + size > *room) {
        size_t more = 2 * (*len + size);
        char *grown = realloc(*text, more);
        if (!grown)
            return false;
        *text = grown;
        *room = more;
    }
    memcpy(*text + *len, name, size);
    *len += size;
    return true;
}

wr_err wr_os_file_list(char **ret, size_t *ret_len, const char *path, size_t max)
{
    char *text = malloc(1);
    size_t len = 0, room = 1;
    DIR *dir = opendir(path);
    wr_err err = !text ? WR_NOMEM : dir ? WR_OK : errno == ENOTDIR ? WR_INVALID
                                                                   : wr_err_errno(errno);
    struct dirent *entry;
    while (!err && dir && (errno = 0, entry = readdir(dir))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (len + strlen(entry->d_name) + 1 > max)
            err = WR_INVALID;
        else if (!add_name(&text, &len, &room, entry->d_name))
            err = WR_NOMEM;
    }
    if (!err && errno)
        err = wr_err_errno(errno);
    if (dir)
        closedir(dir);
    if (err) {
        free(text);
        return err;
    }
    *ret = text;
    *ret_len = len;
    return WR_OK;
}

/* ---- watching ---- */

wr_err wr_os_watch_open(int *ret_fd, const char *folder)
{
    int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (fd < 0)
        return failed(fd);
    unsigned events = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF
        | IN_MOVE_SELF | IN_ONLYDIR;
    if (inotify_add_watch(fd, folder, events) < 0) {
        bool limit = errno == ENOSPC;
        wr_err err = failed(fd);
        return limit ? WR_NOFILE : err;
    }
    *ret_fd = fd;
    return WR_OK;
}

enum os_watch_event wr_os_watch_seen(const char *events, size_t len, const char *name)
{
    enum os_watch_event seen = OS_WATCH_OTHER;
    for (size_t at = 0; at + sizeof(struct inotify_event) <= len;) {
        const struct inotify_event *event = (const void *)(events + at);
        if (event->mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT))
            return OS_WATCH_GONE;
        if ((event->mask & IN_Q_OVERFLOW) || (event->len > 0 && strcmp(event->name, name) == 0))
            seen = OS_WATCH_NAMED;
        at += sizeof(*event) + event->len;
    }
    return seen;
}
