/* os_jail.c - a child process goes to jail: files, limits, user, filter.
 *
 * Everything here runs in a child that is a copy of a process with threads: system calls
 * only, no heap, and none of the C library's functions that speak to other threads.
 */
#include "rt/os_jail.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOBODY 65534                /* the user that owns nothing */
#define TREES_MAX 24                /* folders and files that it sees */

/* The file system that it gets: an empty one is made over this folder, of which there is one
 * on every system, and then becomes the root. */
#define ROOT "/tmp"
#define PROGRAM "/program"

/* What every program needs that is linked with shared libraries. */
static const char *const libraries[] = {
    "/usr/lib", "/usr/lib32", "/usr/lib64", "/lib", "/lib32", "/lib64", "/usr/local/lib",
    "/etc/ld.so.cache", NULL,
};

/* ... and one that has processes and files of its own. */
static const char *const devices[] = {
    "/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", NULL,
};

void wr_os_jail_prepare(struct os_jail *jail, const struct wr_program_conf *conf)
{
    *jail = (struct os_jail){
        .conf = conf,
        .namespaces = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS
            | (conf->jail->network ? 0 : CLONE_NEWNET),
    };
    snprintf(jail->uid_map, sizeof(jail->uid_map), "%d %u 1", NOBODY, (unsigned)geteuid());
    snprintf(jail->gid_map, sizeof(jail->gid_map), "%d %u 1", NOBODY, (unsigned)getegid());
    snprintf(jail->tmp, sizeof(jail->tmp), "mode=1777,size=%zu,nr_inodes=20000",
             conf->jail->tmp_max);
    if (geteuid() != 0)
        wr_os_jail_try_user(jail);
}

bool wr_os_jail_try_user(struct os_jail *jail)
{
    bool first = !jail->own_user;
    jail->own_user = true;
    jail->namespaces |= CLONE_NEWUSER;
    return first;
}

/* ---- the user ---- */

static bool write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool done = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    close(fd);
    return done;
}

/* In its namespace it is nobody; outside it is still us, and has nothing there. */
static bool map_user(const struct os_jail *jail)
{
    prctl(PR_SET_DUMPABLE, 1);      /* else /proc/self belongs to root, if we once were that */
    return write_file("/proc/self/setgroups", "deny")
        && write_file("/proc/self/uid_map", jail->uid_map)
        && write_file("/proc/self/gid_map", jail->gid_map);
}

static bool drop_rights(const struct os_jail *jail)
{
    struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
    struct __user_cap_data_struct none[2] = { 0 };
    if (!jail->own_user && (syscall(SYS_setgroups, 0, NULL) != 0
                            || syscall(SYS_setresgid, NOBODY, NOBODY, NOBODY) != 0
                            || syscall(SYS_setresuid, NOBODY, NOBODY, NOBODY) != 0))
        return false;
    return syscall(SYS_capset, &header, none) == 0
        && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
        && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0;   /* the change of the user has unset it */
}

/* ---- files ---- */

struct tree {
    const char *path;               /* where it will be */
    int mount;                      /* a copy of the mount that has no place yet */
    bool is_folder;
};

struct view {
    struct tree trees[TREES_MAX];
    size_t count;
    struct { const char *path; char to[PATH_MAX / 8]; } links[TREES_MAX];
    size_t link_count;
};

/* A folder as it is now, read-only from here on.  What a system does not have is left out; a
 * link (/lib on most) is made again. */
static bool add_tree(struct view *view, const char *path, const char *as)
{
    struct stat is;
    if (view->count == TREES_MAX || view->link_count == TREES_MAX)
        return false;
    if (lstat(path, &is) != 0)
        return errno == ENOENT;
    if (S_ISLNK(is.st_mode) && path == as) {
        size_t i = view->link_count++;
        ssize_t len = readlink(path, view->links[i].to, sizeof(view->links[i].to) - 1);
        view->links[i].path = path;
        return len > 0 && (size_t)len < sizeof(view->links[i].to) - 1;
    }
    struct mount_attr attr = { .attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID };
    if (lstat(path, &is) == 0 && !S_ISCHR(is.st_mode))
        attr.attr_set |= MOUNT_ATTR_NODEV;
    int mount = open_tree(AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
    if (mount < 0 || stat(path, &is) != 0
        || mount_setattr(mount, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr, sizeof(attr)) != 0)
        return false;
    view->trees[view->count++] = (struct tree){ as, mount, S_ISDIR(is.st_mode) };
    return true;
}

/* Folders down to a path, relative to where we are, and a file or a folder there. */
static bool make_place(const char *path, bool is_folder)
{
    char part[PATH_MAX / 4];
    size_t len = strlen(path);
    if (len >= sizeof(part))
        return false;
    for (size_t i = 1; i < len; i++) {
        if (path[i] != '/')
            continue;
        memcpy(part, path + 1, i - 1);
        part[i - 1] = '\0';
        if (mkdir(part, 0755) != 0 && errno != EEXIST)
            return false;
    }
    if (is_folder)
        return mkdir(path + 1, 0755) == 0 || errno == EEXIST;
    int fd = open(path + 1, O_WRONLY | O_CREAT | O_CLOEXEC, 0444);
    return fd >= 0 && close(fd) == 0;
}

static bool put_trees(const struct view *view)
{
    for (size_t i = 0; i < view->count; i++) {
        const struct tree *tree = &view->trees[i];
        if (!make_place(tree->path, tree->is_folder)
            || move_mount(tree->mount, "", AT_FDCWD, tree->path + 1,
                          MOVE_MOUNT_F_EMPTY_PATH) != 0)
            return false;
    }
    for (size_t i = 0; i < view->link_count; i++)
        if (symlink(view->links[i].to, view->links[i].path + 1) != 0 && errno != EEXIST)
            return false;
    return true;
}

static bool collect_trees(const struct os_jail *jail, struct view *view)
{
    const char *const *folders = jail->conf->jail->folders;
    view->count = view->link_count = 0;
    bool roomy = jail->conf->jail->roomy;
    if (!roomy && !add_tree(view, jail->conf->path, PROGRAM))
        return false;
    for (size_t i = 0; roomy && devices[i]; i++)
        if (!add_tree(view, devices[i], devices[i]))
            return false;
    for (size_t i = 0; libraries[i]; i++)
        if (!add_tree(view, libraries[i], libraries[i]))
            return false;
    for (size_t i = 0; folders && folders[i]; i++)
        if (!add_tree(view, folders[i], folders[i]))
            return false;
    return true;
}

/* Processes to see, and a place to write to, both its own. */
static bool make_room(const struct os_jail *jail)
{
    return mkdir("proc", 0755) == 0 && mkdir("tmp", 0755) == 0
        && mount("proc", "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) == 0
        && mount("tmp", "tmp", "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, jail->tmp) == 0;
}

/* The old root is put below the new one, and let go of. */
static bool change_root(void)
{
    struct mount_attr attr = { .attr_set = MOUNT_ATTR_RDONLY };
    return chdir(ROOT) == 0 && syscall(SYS_pivot_root, ".", ".") == 0
        && umount2(".", MNT_DETACH) == 0 && chdir("/") == 0
        && mount_setattr(AT_FDCWD, "/", 0, &attr, sizeof(attr)) == 0;
}

enum os_step wr_os_jail_enter(const struct os_jail *jail, const char **path)
{
    struct view view;
    bool roomy = jail->conf->jail->roomy;
    if (jail->own_user && !map_user(jail))
        return OS_STEP_USER;
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 || !collect_trees(jail, &view)
        || mount("jail", ROOT, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=64k") != 0
        || chdir(ROOT) != 0 || !put_trees(&view) || (roomy && !make_room(jail))
        || !change_root())
        return OS_STEP_FILES;
    if (!roomy)
        *path = PROGRAM;
    return OS_STEP_NONE;
}

/* ---- limits ---- */

/* After the change of the user: who becomes one with too many processes cannot exec. */

static bool set_limits(const struct wr_jail *jail)
{
    bool roomy = jail->roomy;
    const struct { unsigned resource; rlim_t max; } limits[] = {
        { roomy ? RLIMIT_DATA : RLIMIT_AS, jail->memory_max },
        { RLIMIT_CPU, jail->cpu_seconds_max ? jail->cpu_seconds_max : RLIM_INFINITY },
        { RLIMIT_FSIZE, roomy ? jail->tmp_max : 0 },
        { RLIMIT_NOFILE, roomy ? 1024 : 64 },
        { RLIMIT_NPROC, roomy ? 1000 : 0 },
        { RLIMIT_CORE, 0 },
        { RLIMIT_MEMLOCK, 0 },
        { RLIMIT_MSGQUEUE, 0 },
        { RLIMIT_STACK, (rlim_t)8 << 20 },
    };
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        struct rlimit both = { limits[i].max, limits[i].max };
        if (setrlimit(limits[i].resource, &both) != 0)
            return false;
    }
    return true;
}

/* ---- the filter ---- */

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define ANSWER(what) BPF_STMT(BPF_RET | BPF_K, what)
#define REFUSE ANSWER(SECCOMP_RET_ERRNO | EPERM)
#define ALLOW(name) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##name, 0, 1), ANSWER(SECCOMP_RET_ALLOW)

/* An open that can neither write nor create: no flag but these. */
#define READING (O_CLOEXEC | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_LARGEFILE)
#define ALLOW_READING(name, flags) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##name, 0, 5), LOAD(args[flags]), \
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, ~(unsigned)READING), \
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1), ANSWER(SECCOMP_RET_ALLOW), REFUSE

/* What is not in it is refused, so that a library that only asks can go on.  Numbers of
 * another architecture mean other calls: who uses them ends. */
static const struct sock_filter filter[] = {
    LOAD(arch),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
    ANSWER(SECCOMP_RET_KILL_PROCESS),
    LOAD(nr),
    ALLOW(read), ALLOW(readv), ALLOW(pread64), ALLOW(write), ALLOW(writev), ALLOW(lseek),
    ALLOW(close), ALLOW(fstat), ALLOW(newfstatat), ALLOW(statx), ALLOW(readlinkat),
    ALLOW(faccessat), ALLOW(getdents64), ALLOW(getcwd),
    ALLOW(mmap), ALLOW(munmap), ALLOW(mprotect), ALLOW(mremap), ALLOW(madvise), ALLOW(brk),
    ALLOW(futex), ALLOW(set_tid_address), ALLOW(set_robust_list), ALLOW(rseq), ALLOW(prlimit64),
    ALLOW(rt_sigaction), ALLOW(rt_sigprocmask), ALLOW(rt_sigreturn), ALLOW(sigaltstack),
    ALLOW(clock_gettime), ALLOW(gettimeofday), ALLOW(getrandom), ALLOW(uname), ALLOW(sysinfo),
    ALLOW(getpid), ALLOW(gettid), ALLOW(getuid), ALLOW(geteuid), ALLOW(getgid), ALLOW(getegid),
    ALLOW(execve), ALLOW(exit), ALLOW(exit_group),
#ifdef __x86_64__
    ALLOW(stat), ALLOW(lstat), ALLOW(readlink), ALLOW(access), ALLOW(arch_prctl), ALLOW(time),
    ALLOW_READING(open, 1),
#endif
    ALLOW_READING(openat, 2),
    REFUSE,
};

/* What a browser never does, and whoever breaks out of one would: leave, look into others, use
 * the rarer doors of the kernel. */
#define DENY(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##name, 0, 1), REFUSE

static const struct sock_filter roomy_filter[] = {
    LOAD(arch),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
    ANSWER(SECCOMP_RET_KILL_PROCESS),
    LOAD(nr),
    DENY(mount), DENY(umount2), DENY(pivot_root), DENY(chroot), DENY(setns), DENY(unshare),
    DENY(open_tree), DENY(move_mount), DENY(fsopen), DENY(fsconfig), DENY(fsmount),
    DENY(mount_setattr), DENY(ptrace), DENY(process_vm_readv), DENY(process_vm_writev),
    DENY(kcmp), DENY(pidfd_getfd), DENY(bpf), DENY(perf_event_open), DENY(userfaultfd),
    DENY(io_uring_setup), DENY(io_uring_enter), DENY(io_uring_register), DENY(keyctl),
    DENY(add_key), DENY(request_key), DENY(init_module), DENY(finit_module),
    DENY(delete_module), DENY(kexec_load), DENY(reboot), DENY(swapon), DENY(swapoff),
    DENY(acct), DENY(quotactl), DENY(open_by_handle_at), DENY(name_to_handle_at),
    DENY(settimeofday), DENY(clock_settime), DENY(sethostname), DENY(syslog),
    ANSWER(SECCOMP_RET_ALLOW),
};

#define PROGRAM_OF(rules) { sizeof(rules) / sizeof((rules)[0]), \
                            (struct sock_filter *)(void *)(rules) }

static bool set_filter(bool roomy)
{
    struct sock_fprog few = PROGRAM_OF(filter), most = PROGRAM_OF(roomy_filter);
    struct sock_fprog program = roomy ? most : few;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

enum os_step wr_os_jail_lock(const struct os_jail *jail)
{
    if (!drop_rights(jail))
        return OS_STEP_USER;
    if (!set_limits(jail->conf->jail))
        return OS_STEP_LIMITS;
    return set_filter(jail->conf->jail->roomy) ? OS_STEP_NONE : OS_STEP_FILTER;
}
