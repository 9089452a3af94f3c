/* try.c - read references with a model that is not built in, for evaluations.
 *
 *     extract-try references FIELDS < text          each line of the text is one
 *     extract-try labels FIELDS < text              the same, and what the chain sees in it
 *     extract-try document BOUNDARIES < text        the text is one with a bibliography
 *
 * FIELDS and BOUNDARIES are models made by extract-train; "-" is the one that is built in.
 * Prints one JSON object a line, with the words of `weir check --extract-only --json`.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "extract/bibliography.h"
#include "extract/boundary.h"
#include "extract/field.h"
#include "extract/reference.h"

#define DOCUMENT_MAX (256u << 20)

static uint32_t *blob_read(const char *path, size_t *ret_words)
{
    FILE *file = fopen(path, "r");
    uint32_t *blob = malloc(DOCUMENT_MAX);
    if (!file || !blob) {
        fprintf(stderr, "extract-try: cannot read %s\n", path);
        exit(2);
    }
    *ret_words = fread(blob, sizeof(*blob), DOCUMENT_MAX / sizeof(*blob), file);
    fclose(file);
    return blob;
}

static void chain_read(struct extract_chain *ret, const char *path,
                       void (*built_in)(struct extract_chain *))
{
    size_t words;
    if (strcmp(path, "-") == 0) {
        built_in(ret);
        return;
    }
    const uint32_t *blob = blob_read(path, &words);
    if (extract_chain_open(ret, blob, words)) {
        fprintf(stderr, "extract-try: %s is no model\n", path);
        exit(2);
    }
}

static void put_string(struct wr_text *out, const char *name, const char *value)
{
    wr_text_format(out, ",\"%s\":", name);
    if (value)
        wr_text_json(out, value, strlen(value));
    else
        wr_text_str(out, "null");
}

static void print(const struct bib_reference *reference)
{
    struct wr_text out = wr_text_heap(1 << 20);
    const struct bib_work *work = &reference->work;
    wr_text_format(&out, "{\"number\":%u,\"kind\":%d,\"year\":%d,\"et_al\":%s",
                   reference->number, (int)work->kind, work->year,
                   work->et_al ? "true" : "false");
    put_string(&out, "raw", reference->raw);
    put_string(&out, "title", work->title);
    put_string(&out, "venue", work->venue);
    put_string(&out, "volume", work->volume);
    put_string(&out, "pages", work->pages);
    put_string(&out, "doi", work->doi);
    put_string(&out, "arxiv_id", work->arxiv_id);
    wr_text_str(&out, ",\"authors\":[");
    for (uint32_t i = 0; i < work->author_count; i++) {
        const char *given = work->authors[i].given ? work->authors[i].given : "";
        wr_text_str(&out, i ? ",[" : "[");
        wr_text_json(&out, work->authors[i].family, strlen(work->authors[i].family));
        wr_text_str(&out, ",");
        wr_text_json(&out, given, strlen(given));
        wr_text_str(&out, "]");
    }
    wr_text_str(&out, "]}");
    puts(out.at);
    wr_text_free(&out);
}

static int references(const struct extract_chain *chain)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t len;
    while ((len = getline(&line, &room, stdin)) > 0) {
        struct wr_arena arena = WR_ARENA(1 << 20);
        struct bib_reference reference;
        if (extract_reference_by(chain, line, (size_t)len, &arena, &reference))
            return 1;
        print(&reference);
        wr_arena_free(&arena);
    }
    free(line);
    return 0;
}

static int labels(const struct extract_chain *chain)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t len;
    while ((len = getline(&line, &room, stdin)) > 0) {
        struct extract_token *tokens = malloc(((size_t)len + 1) * sizeof(*tokens));
        uint8_t *fields = malloc((size_t)len + 1);
        if (!tokens || !fields)
            return 1;
        size_t count = extract_field_tokens(tokens, (size_t)len, line, (size_t)len);
        if (extract_field_label(chain, tokens, count, fields))
            return 1;
        for (size_t i = 0; i < count; i++) {
            if (i == 0 || fields[i] != fields[i - 1])
                printf(" <%s>", extract_field_names[fields[i]]);
            printf("%s%.*s", tokens[i].space ? " " : "", (int)tokens[i].len,
                   line + tokens[i].at);
        }
        puts("");
        free(tokens);
        free(fields);
    }
    free(line);
    return 0;
}

static int document(const struct extract_chain *chain)
{
    char *text = malloc(DOCUMENT_MAX);
    size_t len = text ? fread(text, 1, DOCUMENT_MAX, stdin) : 0, count = 0, from = 0;
    struct extract_line *lines = calloc(len + 1, sizeof(*lines));
    struct wr_arena arena = WR_ARENA(DOCUMENT_MAX);
    struct extract_bibliography_conf conf = { .boundaries = chain };
    struct bib_references found;
    for (size_t i = 0; lines && i <= len; i++) {
        if (i < len && text[i] != '\n')
            continue;
        lines[count] = (struct extract_line){ .text = text + from, .len = i - from,
                                              .number = (uint32_t)count + 1 };
        count++;
        from = i + 1;
    }
    if (!lines || extract_bibliography(lines, count, &conf, &arena, &found))
        return 1;
    for (size_t i = 0; i < found.count; i++)
        print(&found.at[i]);
    wr_arena_free(&arena);
    free(lines);
    free(text);
    return 0;
}

int main(int argc, char **argv)
{
    struct extract_chain chain;
    if (argc == 3 && strcmp(argv[1], "references") == 0) {
        chain_read(&chain, argv[2], extract_field_chain);
        return references(&chain);
    }
    if (argc == 3 && strcmp(argv[1], "labels") == 0) {
        chain_read(&chain, argv[2], extract_field_chain);
        return labels(&chain);
    }
    if (argc == 3 && strcmp(argv[1], "document") == 0) {
        chain_read(&chain, argv[2], extract_boundary_chain);
        return document(&chain);
    }
    fprintf(stderr, "usage: extract-try references|labels|document MODEL\n");
    return 2;
}
