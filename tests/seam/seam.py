#!/usr/bin/env python3
"""Nobody goes around the seam.  Prints TAP: one test per object file.

    seam.py LIBRARY...              no object outside the drivers asks for the outside
    seam.py --refused LIBRARY...    each of them does: the check of the check

Clocks, randomness, files, sockets, threads, signals and the environment are
reached through wr_world and rt/os.h.  Only the real drivers, base/os*.c,
rt/os*.c and net/os*.c, may name the C library's functions for them: otherwise a simulation
would not be the whole world of the code that runs in it.
"""
import re
import subprocess
import sys

DRIVER = re.compile(r"(base|rt|net)_os(_\w+)?\.c\.o$")

OUTSIDE = re.compile(r"""(?x)
    clock | clock_\w+ | time | times | gettimeofday | ftime | timespec_get
    | getrandom | getentropy | s?rand | rand_r | s?random | \w+rand48 | arc4random\w*
    | socket | socketpair | accept4? | bind | connect | listen | shutdown | [gs]etsockopt
    | recv | recvfrom | recvm?msg | send | sendto | sendm?msg | getaddrinfo | gethostby\w+
    | open | openat | open64 | openat64 | creat | close | close_range | dup[23]? | pipe2?
    | p?(read|write)v?2?(64)? | l?seek | fsync | fdatasync | f?truncate | rename\w* | unlink\w*
    | [fl]?stat(at|x)? | f?access | mkdir\w* | rmdir | opendir | readdir | ioctl | fcntl\w*
    | fopen | fdopen | freopen | fclose | fread | fwrite | fflush | fputs | fputc | fgets
    | puts | putchar | perror | printf | fprintf | vprintf | vfprintf | v?dprintf | isatty
    | stdout | stderr | stdin
    | pthread_\w+ | thrd_\w+ | mtx_\w+ | cnd_\w+ | sem_\w+ | sched_\w+
    | sleep | usleep | nanosleep | alarm | timer_\w+ | timerfd_\w+ | setitimer
    | epoll_\w+ | p?poll | p?select | eventfd\w* | inotify_\w+ | signalfd
    | signal | sigaction | sigprocmask | sigaltstack | kill | tgkill | raise
    | fork | vfork | clone\w* | exec\w+ | posix_spawn\w* | wait(pid|id|3|4)? | system | popen
    | getenv | secure_getenv | setenv | unsetenv | putenv | environ
    | mmap(64)? | munmap | mremap | mprotect | madvise | brk | sbrk
    | syscall | sysconf | prctl | [gs]etrlimit | getpid | gettid | getauxval | dl\w+
    | exit | _exit | _Exit | quick_exit | backtrace\w*
""")


def undefined(library):
    """Object names of a library, each with the symbols it takes from elsewhere."""
    done = subprocess.run(["nm", "-A", "-P", library], text=True, check=True,
                          stdout=subprocess.PIPE)
    objects = {}
    for line in done.stdout.splitlines():
        place, _, rest = line.partition("]: ")
        name = place.rpartition("[")[2].rpartition("/")[2]
        symbol, kind, *_ = rest.split()
        symbols = objects.setdefault(name, set())
        if kind in "Uw":
            symbols.add(re.sub(r"^__(\w+)_chk$", r"\1", symbol.partition("@")[0]))
    return objects


def main():
    refused = sys.argv[1] == "--refused"
    results = []
    for library in sys.argv[2 if refused else 1:]:
        for name, symbols in sorted(undefined(library).items()):
            if not DRIVER.search(name):
                results.append((name, sorted(filter(OUTSIDE.fullmatch, symbols))))
    print(f"1..{len(results)}")
    good = bool(results)
    for number, (name, symbols) in enumerate(results, 1):
        if symbols:
            print(f"# {name} goes around the seam: {', '.join(symbols)}")
        held = bool(symbols) == refused
        good &= held
        print(f"{'ok' if held else 'not ok'} {number} - {name}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
