/* report.c - places, addresses and a failing order, in words. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "explore_int.h"

#define KNOWN_MAX 256

static char program[PATH_MAX];
static struct {
    uintptr_t pc;
    char text[200];
} known[KNOWN_MAX];
static unsigned known_count;

void report_open(void)
{
    if (readlink("/proc/self/exe", program, sizeof(program) - 1) <= 0)
        abort();
}

/* "spin_lock at rt_int.h:54 < wr_chan_send at chan.c:90" */
static void symbolise(uintptr_t pc, char *ret, size_t size)
{
    char command[PATH_MAX + 64], line[256];
    snprintf(ret, size, "%#lx", (unsigned long)pc);
    snprintf(command, sizeof(command), "addr2line -f -i -s -p -e '%s' %#lx", program,
             (unsigned long)pc - 1);
    FILE *pipe = popen(command, "r");
    if (!pipe)
        return;
    size_t len = 0;
    while (fgets(line, sizeof(line), pipe) && len < size) {
        line[strcspn(line, "\n")] = '\0';
        char *extra = strstr(line, " (discriminator");
        if (extra)
            *extra = '\0';
        const char *text = line, *inlined = " (inlined by) ";
        if (strncmp(text, inlined, strlen(inlined)) == 0)
            text += strlen(inlined);
        len += (size_t)snprintf(ret + len, size - len, "%s%s", len ? " < " : "", text);
    }
    pclose(pipe);
}

void report_pc(uintptr_t pc, char *ret, size_t size)
{
    unsigned i = 0;
    while (i < known_count && known[i].pc != pc)
        i++;
    if (i == known_count) {
        if (known_count == KNOWN_MAX)
            i = known_count = 0;
        known[i].pc = pc;
        symbolise(pc, known[i].text, sizeof(known[i].text));
        known_count++;
    }
    snprintf(ret, size, "%s", known[i].text);
}

static bool find_global(uintptr_t addr, char *ret, size_t size)
{
    char command[PATH_MAX + 64], line[256], name[128], best[128] = "";
    unsigned long at, best_at = 0;
    char type;
    snprintf(command, sizeof(command), "nm -n '%s'", program);
    FILE *pipe = popen(command, "r");
    if (!pipe)
        return false;
    while (fgets(line, sizeof(line), pipe))
        if (sscanf(line, "%lx %c %127s", &at, &type, name) == 3 && at <= addr
            && strchr("bBdD", type)) {
            best_at = at;
            memcpy(best, name, sizeof(best));
        }
    pclose(pipe);
    if (addr > best_at)
        snprintf(ret, size, "%s+%lu", best, (unsigned long)addr - best_at);
    else
        snprintf(ret, size, "%s", best);
    return best[0] != '\0';
}

void report_addr(uintptr_t addr, char *ret, size_t size)
{
    addr &= TOKEN - 1;
    addr &= ((uintptr_t)1 << 56) - 1;
    uintptr_t heap = (uintptr_t)heap_base, stacks = (uintptr_t)stacks_base;
    unsigned index;
    const struct block *block;
    if (addr >= heap && addr < heap + heap_size && (block = heap_block(addr, &index)))
        snprintf(ret, size, "block%u+%ld", index, (long)(addr - block->addr));
    else if (addr >= stacks && addr < stacks + STACK_SIZE * THREADS)
        snprintf(ret, size, "stack%u-%lu", (unsigned)((addr - stacks) / STACK_SIZE) - 1,
                 (unsigned long)(STACK_SIZE - (addr - stacks) % STACK_SIZE));
    else if (addr >= (uintptr_t)map_base && addr < (uintptr_t)map_base + MAP_SIZE)
        snprintf(ret, size, "map+%#lx", (unsigned long)(addr - (uintptr_t)map_base));
    else if (!find_global(addr, ret, size))
        snprintf(ret, size, "%#lx", (unsigned long)addr);
}

static const char *order_name(int order)
{
    static const char *const names[] = { "relaxed", "consume", "acquire",
                                         "release", "acq_rel", "seq_cst" };
    return order >= 0 && order <= __ATOMIC_SEQ_CST ? names[order] : "?";
}

static const char *op_name(enum op_kind kind)
{
    static const char *const names[] = {
        "none", "load", "store", "exchange", "add",  "sub",   "and",   "or",    "xor",   "nand",
        "cas",  "fence", "relax", "wait",    "pause", "post", "choose", "sleep", "wake",
    };
    return names[kind];
}

static void print_event(unsigned at, const struct event *event)
{
    char addr[128] = "", where[256], what[96], caller[256] = "";
    if (event->op.addr)
        report_addr(event->op.addr, addr, sizeof(addr));
    report_pc(event->op.pc, where, sizeof(where));
    if (event->caller)
        report_pc(event->caller, caller, sizeof(caller));
    unsigned long long before = event->before, result = event->result;
    if (event->op.kind >= OP_FENCE)
        snprintf(what, sizeof(what), "%s", "");
    else if (event->wrote)
        snprintf(what, sizeof(what), "%#llx -> %#llx %s", before, result,
                 order_name(event->op.order));
    else
        snprintf(what, sizeof(what), "%#llx %s%s", before, order_name(event->op.order),
                 event->stale                   ? " (an older value)"
                     : event->op.kind == OP_CAS ? " (fails)"
                                                : "");
    printf("# %4u  thread %u  %-8s %-14s %-28s %s%s%s\n", at, event->thread - 1,
           op_name(event->op.kind), addr, what, where, caller[0] ? " < " : "", caller);
}

void report_order(void)
{
    for (unsigned i = 0; i < event_count; i++)
        print_event(i, &events[i]);
    printf("# repeat it: %s --replay ", program);
    for (unsigned i = 0; i < event_count; i++) {
        unsigned choice, thread = run_order(i, &choice);
        printf("%s%u", i ? "," : "", thread - 1);
        if (choice)
            printf(":%u", choice);
    }
    printf(" %s\n", settings.model->name);
}
