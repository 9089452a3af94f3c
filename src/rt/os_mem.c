/* os_mem.c - address space for stacks, and what to do when one is outgrown. */
#include <errno.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/world.h"
#include "rt/os.h"
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else
#define RUNNING_ON_VALGRIND 0
#endif

#define MADV_GUARD_INSTALL_ 102     /* since Linux 6.13; older headers lack the name */
#define PIDFD_SELF_ (-10000)        /* since Linux 6.14: this very process */
#define GUARDS_AT_ONCE 128
#define FAULT_STACK_SIZE (64ul * 1024)

size_t wr_os_page(void)
{
    static _Atomic size_t known;
    size_t page = atomic_load_explicit(&known, memory_order_relaxed);
    if (page == 0) {
        page = (size_t)sysconf(_SC_PAGESIZE);
        atomic_store_explicit(&known, page, memory_order_relaxed);
    }
    return page;
}

void *wr_os_map(size_t size)
{
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return NULL;
    madvise(at, size, MADV_NOHUGEPAGE);
    return at;
}

void wr_os_unmap(void *at, size_t size)
{
    munmap(at, size);
}

void wr_os_forget(void *at, size_t size)
{
    madvise(at, size, MADV_DONTNEED);
}

/* One call for all of them costs a third of a call each. */
static size_t guard_regions(char *at, size_t stride, size_t count)
{
    struct iovec pages[GUARDS_AT_ONCE];
    size_t done = 0;
    while (done < count && !RUNNING_ON_VALGRIND) {     /* which does not know the call */
        size_t n = count - done < GUARDS_AT_ONCE ? count - done : GUARDS_AT_ONCE;
        for (size_t i = 0; i < n; i++)
            pages[i] = (struct iovec){ at + (done + i) * stride, wr_os_page() };
        long bytes =
            syscall(SYS_process_madvise, PIDFD_SELF_, pages, n, MADV_GUARD_INSTALL_, 0);
        if (bytes <= 0)
            break;
        done += (size_t)bytes / wr_os_page();
    }
    while (done < count && madvise(at + done * stride, wr_os_page(), MADV_GUARD_INSTALL_) == 0)
        done++;
    return done;
}

/* Emulators and sandboxes may accept advice that they do not know.  The kernel
 * tells whether a page can be read without anybody having to fault. */
static bool guard_holds(const void *page)
{
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (fd < 0)
        return true;
    bool holds = write(fd, page, sizeof(uint64_t)) < 0;
    close(fd);
    return holds;
}

size_t wr_os_guard(void *at, size_t stride, size_t count)
{
    static _Atomic bool by_mapping, tried;
    if (!atomic_load_explicit(&by_mapping, memory_order_relaxed)) {
        size_t done = guard_regions(at, stride, count);
        bool works = done > 0 || errno != EINVAL;
        if (works && done > 0 && !atomic_exchange(&tried, true))
            works = guard_holds(at);
        if (works)
            return done;
        if (!atomic_exchange(&by_mapping, true)) {
            static const char note[] =
                "weir: this kernel has no guard regions; each stack costs a mapping, so "
                "vm.max_map_count bounds the number of fibers (sysctl raises it)\n";
            wr_world_os.complain(note, sizeof(note) - 1);
        }
    }
    size_t done = 0;
    while (done < count && mprotect((char *)at + done * stride, wr_os_page(), PROT_NONE) == 0)
        done++;
    return done;
}

static void (*fault_report)(int signal, void *address);

static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)context;
    fault_report(number, info->si_addr);
    signal(number, SIG_DFL);
    raise(number);
}

/* Sanitizers bring handlers of their own that say more; then ours stays out. */
void wr_os_faults(void (*report)(int signal, void *address))
{
    static const int numbers[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL };
    fault_report = report;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
        struct sigaction old;
        if (sigaction(numbers[i], NULL, &old) != 0 || old.sa_handler != SIG_DFL)
            continue;
        struct sigaction act = { .sa_sigaction = on_fault,
                                 .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER };
        sigaction(numbers[i], &act, NULL);
    }
}

void wr_os_fault_stack_open(void **ret)
{
    stack_t old;
    *ret = NULL;
    if (sigaltstack(NULL, &old) == 0 && !(old.ss_flags & SS_DISABLE))
        return;
    void *memory = malloc(FAULT_STACK_SIZE);
    if (!memory)
        return;
    sigaltstack(&(stack_t){ .ss_sp = memory, .ss_size = FAULT_STACK_SIZE }, NULL);
    *ret = memory;
}

void wr_os_fault_stack_close(void *stack)
{
    if (!stack)
        return;
    sigaltstack(&(stack_t){ .ss_flags = SS_DISABLE }, NULL);
    free(stack);
}

static void (*_Atomic interrupt_fn)(void);

static void on_interrupt(int number)
{
    (void)number;
    int saved = errno;
    void (*fn)(void) = atomic_load(&interrupt_fn);
    fn();
    errno = saved;
}

/* SIGURG is ignored by default and used by nobody for its old purpose. */
void wr_os_interrupt(const struct os_thread *thread, void (*fn)(void))
{
    static _Atomic bool installed;
    atomic_store(&interrupt_fn, fn);
    if (!atomic_exchange(&installed, true)) {
        struct sigaction act = { .sa_handler = on_interrupt,
                                 .sa_flags = SA_RESTART | SA_ONSTACK };
        sigaction(SIGURG, &act, NULL);
        void *warm[1];
        backtrace(warm, 1);         /* loads its library here, not in a handler */
    }
    pthread_kill((pthread_t)thread->handle, SIGURG);
}
