/* html.c - the main text of pages, for evaluations.
 *
 *     extract-html [-n TIMES] FILE...
 *
 * Prints one JSON object a line: {"file", "title", "language", "text", "paragraphs", "links",
 * "us"}, where us is the processor time of a page: the least of TIMES (1), in microseconds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "extract/html.h"

#define PAGE_MAX (16u << 20)
#define LINE_MAX_LEN (64u << 20)

static size_t file_read(const char *path, char *page)
{
    FILE *file = fopen(path, "r");
    if (!file) {
        fprintf(stderr, "extract-html: cannot read %s\n", path);
        exit(2);
    }
    size_t len = fread(page, 1, PAGE_MAX, file);
    fclose(file);
    return len;
}

static double now_us(void)
{
    struct timespec at;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
    return (double)at.tv_sec * 1e6 + (double)at.tv_nsec / 1e3;
}

static void put_string(struct wr_text *out, const char *name, const char *value)
{
    wr_text_format(out, "\"%s\":", name);
    if (value)
        wr_text_json(out, value, strlen(value));
    else
        wr_text_str(out, "null");
    wr_text_str(out, ",");
}

static void print(const char *file, const struct extract_page *page, double us)
{
    struct wr_text out = wr_text_heap(LINE_MAX_LEN);
    wr_text_str(&out, "{");
    put_string(&out, "file", file);
    put_string(&out, "title", page->title);
    put_string(&out, "language", page->language);
    put_string(&out, "text", page->main);
    wr_text_format(&out, "\"paragraphs\":%zu,\"links\":%zu,\"us\":%.1f}",
                   page->paragraph_count, page->link_count, us);
    puts(out.at);
    wr_text_free(&out);
}

static int try(const char *file, char *bytes, int times)
{
    size_t len = file_read(file, bytes);
    double least = 0;
    for (int i = 0; i < times; i++) {
        struct wr_arena arena = WR_ARENA(EXTRACT_HTML_ARENA);
        struct extract_page page;
        double start = now_us();
        if (extract_html(&page, bytes, len, &(struct extract_html_conf){ 0 }, &arena)) {
            fprintf(stderr, "extract-html: no memory for %s\n", file);
            return 1;
        }
        double took = now_us() - start;
        least = i == 0 || took < least ? took : least;
        if (i == times - 1)
            print(file, &page, least);
        wr_arena_free(&arena);
    }
    return 0;
}

int main(int argc, char **argv)
{
    int times = 1, from = 1;
    if (argc > 2 && strcmp(argv[1], "-n") == 0) {
        times = (int)strtol(argv[2], NULL, 10);
        from = 3;
    }
    if (argc <= from || times < 1) {
        fprintf(stderr, "usage: extract-html [-n TIMES] FILE...\n");
        return 2;
    }
    char *bytes = malloc(PAGE_MAX);
    if (!bytes)
        return 1;
    int failed = 0;
    for (int i = from; !failed && i < argc; i++)
        failed = try(argv[i], bytes, times);
    free(bytes);
    return failed;
}
