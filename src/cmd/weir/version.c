/* version.c - what this is, and how it was made. */
#include <stdio.h>
#include <string.h>

#include "base/version.h"
#include "cmd/weir/weir.h"

static int print_json(void)
{
    char buf[1000];
    struct wr_text text = WR_TEXT(buf);
    struct wr_json json = wr_json_to(&text);
    wr_json_object(&json, NULL);
    wr_version_write(&json);
    wr_json_end(&json);
    printf("%s\n", text.at);
    return 0;
}

int weir_version(int argc, char **argv)
{
    if (argc == 1) {
        printf("weir %s (%s of %s, %s, %s)\n", wr_version.version, wr_version.revision,
               wr_version.made, wr_version.processor, wr_version.compiler);
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "--json") == 0)
        return print_json();
    bool help = argc == 2 && strcmp(argv[1], "--help") == 0;
    fprintf(help ? stdout : stderr, "usage: weir version [--json]\n");
    return help ? 0 : 2;
}
