/* topology.c - the map, until there is a node: that of the demo's pipeline. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/weir/weir.h"

#define MAP_MAX (256ul * 1024)

static const struct { const char *flag; enum wr_topo_format format; } formats[] = {
    { "--text", WR_TOPO_TEXT },
    { "--markdown", WR_TOPO_MARKDOWN },
    { "--mermaid", WR_TOPO_MERMAID },
};
#define FORMATS (sizeof(formats) / sizeof(*formats))

static int usage(FILE *to)
{
    fprintf(to, "usage: weir topology [--text|--markdown|--mermaid]\n"
                "  The map of tasks, channels and locks, noticed from two virtual seconds of\n"
                "  the demo's pipeline: who gives to whom, through what, with which bound.\n");
    return to == stdout ? 0 : 2;
}

int weir_topology(int argc, char **argv)
{
    enum wr_topo_format format = WR_TOPO_TEXT;
    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return usage(stdout);
    if (argc > 2)
        return usage(stderr);
    if (argc == 2) {
        size_t i = 0;
        while (i < FORMATS && strcmp(argv[1], formats[i].flag) != 0)
            i++;
        if (i == FORMATS) {
            fprintf(stderr, "weir topology: unknown option \"%s\"\n", argv[1]);
            return usage(stderr);
        }
        format = formats[i].format;
    }
    char *buf = malloc(MAP_MAX);
    if (!buf) {
        fprintf(stderr, "weir topology: %s\n", wr_err_text(WR_NOMEM));
        return 1;
    }
    struct wr_text map = wr_text_over(buf, MAP_MAX);
    wr_err err = weir_demo_map(&map, format);
    if (err)
        fprintf(stderr, "weir topology: %s\n", wr_err_text(err));
    else
        fwrite(map.at, 1, map.len, stdout);
    free(buf);
    return err ? 1 : 0;
}
