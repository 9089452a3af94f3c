/* os_trace.c - where a thread is, in words for people. */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/world.h"
#include "rt/os.h"

size_t wr_os_backtrace(void **frames, size_t max)
{
    return (size_t)backtrace(frames, (int)max);
}

/* The address as the file has it: what is not bound to an address of its own is
 * counted from where it was put.  Before the return address, within the call. */
static uintptr_t address_in(const Dl_info *file, const void *frame)
{
    const ElfW(Ehdr) *head = file->dli_fbase;
    return (uintptr_t)frame - 1 - (head->e_type == ET_EXEC ? 0 : (uintptr_t)head);
}

static void path_of(const Dl_info *file, char *ret, size_t size)
{
    ssize_t len = -1;
    if (strcmp(file->dli_fname, program_invocation_name) == 0)
        len = readlink("/proc/self/exe", ret, size - 1);
    if (len >= 0)
        ret[len] = '\0';
    else
        snprintf(ret, size, "%s", file->dli_fname);
}

/* All frames that lie in the file of this one, as a command that names functions
 * and lines: the symbols that a program shows do not include its static ones. */
static void print_command(void *const *frames, size_t count, const Dl_info *file)
{
    char path[256], line[1024];
    Dl_info other;
    path_of(file, path, sizeof(path));
    if (!strchr(path, '/'))
        return;             /* the kernel's part of every process: there is no file */
    size_t len = (size_t)snprintf(line, sizeof(line), "weir: lines: addr2line -fpe %s", path);
    for (size_t i = 0; i < count && len < sizeof(line) - 24; i++)
        if (dladdr(frames[i], &other) && other.dli_fbase == file->dli_fbase)
            len += (size_t)snprintf(line + len, sizeof(line) - len, " 0x%lx",
                                    (unsigned long)address_in(file, frames[i]));
    line[len++] = '\n';
    wr_world_os.complain(line, len);
}

static bool any_in(void *const *frames, size_t count, const void *base)
{
    Dl_info file;
    for (size_t i = 0; i < count; i++)
        if (dladdr(frames[i], &file) && file.dli_fbase == base)
            return true;
    return false;
}

/* The C library's own frames are of no interest, unless it is part of the program. */
void wr_os_backtrace_print(void *const *frames, size_t count)
{
    Dl_info libc = { 0 }, own = { 0 }, file;
    backtrace_symbols_fd(frames, (int)count, STDERR_FILENO);
    dladdr((void *)(uintptr_t)backtrace, &libc);
    dladdr((void *)(uintptr_t)wr_os_backtrace_print, &own);
    for (size_t i = 0; i < count; i++)
        if (dladdr(frames[i], &file) && !any_in(frames, i, file.dli_fbase)
            && (file.dli_fbase != libc.dli_fbase || libc.dli_fbase == own.dli_fbase))
            print_command(frames, count, &file);
}
