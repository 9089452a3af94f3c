/* version.c - what this is, and how it was made. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cmd/weir/weir.h"

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

#if defined(__x86_64__)
#define PROCESSOR "x86-64"
#elif defined(__aarch64__)
#define PROCESSOR "aarch64"
#endif

int weir_version(int argc, char **argv)
{
    if (argc == 1) {
        printf("weir %s (%s, %s)\n", WEIR_VERSION, PROCESSOR, COMPILER);
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "--json") == 0) {
        printf("{\"version\":\"%s\",\"processor\":\"%s\",\"compiler\":\"%s\"}\n", WEIR_VERSION,
               PROCESSOR, COMPILER);
        return 0;
    }
    bool help = argc == 2 && strcmp(argv[1], "--help") == 0;
    fprintf(help ? stdout : stderr, "usage: weir version [--json]\n");
    return help ? 0 : 2;
}
