/* conf_fuzz.c - whatever is configured is refused in words, or can be printed and read.
 *
 * For any file, flags and variables: either there is a snapshot, and what is printed of
 * it is a file that reads back to the same values; or there is at least one sentence.
 * Sentences are whole lines without control characters, and a secret never stands in
 * anything.
 *
 * The first byte of an input says what the rest is: a file of TOML, of JSON, of either;
 * flags, one a line; variables, one a line.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <weir/panic.h>

#include "conf/conf.h"
#include "conf/node_keys.h"

#define WORDS_MAX 64
#define SECRET "Zq7#secret"

static const struct wr_conf_table *const tables[] = { &wr_node_keys, NULL };
static const char *const services[] = { "svc-index", "svc-rewarder", NULL };

static void check_report(const struct wr_conf_report *report)
{
    const char *text = report->text.at ? report->text.at : "";
    size_t len = report->text.len;
    WR_ASSERT((len > 0) == (report->errors + report->warnings > 0));
    WR_ASSERT(len == 0 || text[len - 1] == '\n');
    WR_ASSERT(!strstr(text, SECRET));
    unsigned lines = 0;
    for (size_t i = 0; i < len; i++) {
        lines += text[i] == '\n';
        WR_ASSERT(text[i] == '\n' || ((unsigned char)text[i] >= ' ' && text[i] != 0x7f));
    }
    WR_ASSERT(lines <= WR_CONF_SENTENCES_MAX + 1);
}

static struct wr_conf *load(const struct wr_conf_source *source)
{
    struct wr_conf *conf = NULL;
    struct wr_conf_report report = { 0 };
    wr_err err = wr_conf_load(&conf, source, &report);
    WR_ASSERT(err == WR_OK || err == WR_INVALID);
    WR_ASSERT((err == WR_INVALID) == (report.errors > 0) && (err == WR_OK) == (conf != NULL));
    check_report(&report);
    wr_conf_report_free(&report);
    return conf;
}

/* What is printed lacks only the secret, and the name and the hash of the file. */
static void check_printed(const struct wr_conf *conf)
{
    struct wr_text text = wr_text_heap(4ul << 20);
    struct wr_conf_change changes[4];
    wr_conf_print_json(&text, conf);
    WR_ASSERT(text.cut == 0 && !strstr(text.at, SECRET));
    wr_text_rewind(&text, 0);
    wr_conf_print(&text, conf);
    WR_ASSERT(text.cut == 0 && !strstr(text.at, SECRET));
    char *env[] = { "WEIR_ADMIN_TOKEN=" SECRET, NULL };
    struct wr_conf *again = load(&(struct wr_conf_source){ .tables = tables, .path = "f.toml",
                                                           .text = text.at, .env = env,
                                                           .services = services, .cpus = 2 });
    WR_ASSERT(again);
    size_t count = wr_conf_diff(changes, 4, conf, again);
    WR_ASSERT(count <= 3);
    for (size_t i = 0; i < count; i++)
        WR_ASSERT(changes[i].key->no_file || changes[i].key->of_file
                  || changes[i].key->type == WR_CONF_SECRET);
    wr_conf_unref(again);
    wr_text_free(&text);
}

static int split(char **words, char *text)
{
    int count = 0;
    for (char *next; text && count < WORDS_MAX; text = next) {
        next = strchr(text, '\n');
        if (next)
            *next++ = '\0';
        words[count++] = text;
    }
    words[count] = NULL;
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const paths[] = { "f.toml", "f.json", "f.conf" };
    if (size == 0 || size > 65536 || memmem(data, size, SECRET, strlen(SECRET)))
        return -1;
    char *text = strndup((const char *)data + 1, size - 1);
    char *words[WORDS_MAX + 3] = { "weir" };
    unsigned kind = data[0] % 5;
    WR_ASSERT(text);
    struct wr_conf_source source = { .tables = tables, .services = services, .cpus = 2 };
    if (kind < 3) {
        words[0] = "WEIR_ADMIN_TOKEN=" SECRET;
        source.path = paths[kind];
        source.text = text;
        source.env = words;
    } else if (kind == 3) {
        source.argc = 1 + split(words + 1, text);
        source.argv = words;
    } else {
        words[0] = "RON_ADMIN_TOKEN=" SECRET;
        split(words + 1, text);
        source.env = words;
    }
    struct wr_conf *conf = load(&source);
    if (conf)
        check_printed(conf);
    wr_conf_unref(conf);
    free(text);
    return 0;
}
