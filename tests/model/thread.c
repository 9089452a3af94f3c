/* thread.c - model threads: coroutines on the one real thread.
 *
 * Each has a stack of its own.  At its bottom stands a frame that never
 * returns; jumping back to it starts a new run and forgets whatever the last
 * one left on the stack, so a run can be given up anywhere.
 *
 * Thread-local variables of the program belong to the model thread that runs:
 * their bytes are exchanged with every switch.
 */
#include <link.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "explore_int.h"

#define TLS_MAX 4096

struct thread threads[THREADS];
unsigned thread_count;
unsigned self;
bool running;
unsigned char *stacks_base;

static jmp_buf bottom[THREADS], here[THREADS];
static void (*body[THREADS])(void);
static struct {
    unsigned char *at;
    size_t size;
} tls;
static unsigned char tls_initial[TLS_MAX], tls_saved[THREADS][TLS_MAX];
static ucontext_t opening, opened;

static int find_tls(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size, (void)arg;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_TLS) {
            tls.at = info->dlpi_tls_data;
            tls.size = info->dlpi_phdr[i].p_memsz;
        }
    return 1;       /* the program itself comes first, and only it matters */
}

static void bottom_frame(unsigned id)
{
    if (_setjmp(bottom[id]) == 0)
        swapcontext(&opened, &opening);
    body[self]();
    run_thread_ended();
    abort();
}

void threads_open(void)
{
    dl_iterate_phdr(find_tls, NULL);
    if (tls.size > TLS_MAX)
        abort();
    if (tls.size)
        memcpy(tls_initial, tls.at, tls.size);
    stacks_base = mmap(NULL, STACK_SIZE * THREADS, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stacks_base == MAP_FAILED)
        abort();
    for (unsigned id = 1; id < THREADS; id++) {
        getcontext(&opened);
        opened.uc_stack.ss_sp = stacks_base + id * STACK_SIZE;
        opened.uc_stack.ss_size = STACK_SIZE;
        opened.uc_link = NULL;
        makecontext(&opened, (void (*)(void))bottom_frame, 1, id);
        swapcontext(&opening, &opened);
    }
}

void threads_reset(const struct model *model)
{
    memset(threads, 0, sizeof(threads));
    if (tls.size)
        memcpy(tls.at, tls_initial, tls.size);
    thread_count = 1;
    while (thread_count < THREADS && model->thread[thread_count - 1]) {
        unsigned id = thread_count++;
        body[id] = model->thread[id - 1];
        memcpy(here[id], bottom[id], sizeof(jmp_buf));
        memcpy(tls_saved[id], tls_initial, tls.size);
    }
    for (unsigned id = 0; id < THREADS; id++)
        threads[id].hb.at[id] = 1;
    self = 0;
}

void thread_switch(unsigned to)
{
    unsigned from = self;
    if (_setjmp(here[from]))
        return;
    if (tls.size) {
        memcpy(tls_saved[from], tls.at, tls.size);
        memcpy(tls.at, tls_saved[to], tls.size);
    }
    self = to;
    _longjmp(here[to], 1);
}

void thread_home(void)
{
    if (tls.size)
        memcpy(tls.at, tls_initial, tls.size);
    self = 0;
}

int model_self(void)
{
    return (int)self - 1;
}
