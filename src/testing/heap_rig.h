/* heap_rig.h - what is left in memory, for tests of what is forgotten. */
#ifndef WR_TESTING_HEAP_RIG_H
#define WR_TESTING_HEAP_RIG_H

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "testing/test.h"

#define RIG_HEAP __attribute__((unused)) static
#define MARK_LEN 24

/* A word that stands nowhere in the program: made when it is needed. */
RIG_HEAP void make_mark(char *mark, char kind)
{
    for (int i = 0; i < MARK_LEN; i++)
        mark[i] = (char)('a' + (i * 7 + kind) % 26);
    mark[MARK_LEN] = '\0';
}

/* How often it stands in the writable memory of this process, stacks apart. */
RIG_HEAP int count_in_heap(char kind)
{
    char line[400], mark[MARK_LEN + 1];
    static char page[1 << 16];
    int found = 0;
    FILE *maps = fopen("/proc/self/maps", "re");
    int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    REQUIRE(maps && memory >= 0, -1);
    while (fgets(line, sizeof(line), maps)) {
        unsigned long from, to;
        char rights[8];
        if (sscanf(line, "%lx-%lx %7s", &from, &to, rights) != 3 || rights[0] != 'r'
            || rights[1] != 'w' || strstr(line, "[stack]") || strstr(line, "/"))
            continue;
        for (unsigned long at = from; at < to; at += sizeof(page) - MARK_LEN) {
            size_t want = to - at < sizeof(page) ? to - at : sizeof(page);
            ssize_t len = pread(memory, page, want, (off_t)at);
            if (len <= 0 || (at <= (unsigned long)page && (unsigned long)page < at + want))
                continue;
            make_mark(mark, kind);
            for (char *hit = page; (hit = memmem(hit, (size_t)(page + len - hit), mark,
                                                 MARK_LEN)); hit++)
                found++;
        }
    }
    explicit_bzero(page, sizeof(page));
    explicit_bzero(mark, sizeof(mark));
    close(memory);
    fclose(maps);
    return found;
}

#endif
