/* index_ask.c - see index_ask.h. */
#include "cmd/weir/index_ask.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATIENCE_S 70                   /* the node gives its longest answer a minute */

/* ---- what is said ---- */

static bool line_is_shown;

void index_progress(const char *line)
{
    static int terminal = -1;
    const char *term = getenv("TERM");
    if (terminal < 0)
        terminal = isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
    if (terminal && (line || line_is_shown))
        fprintf(stderr, "\r\033[K%s", line ? line : "");
    line_is_shown = line;
}

int index_refuse(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    index_progress(NULL);
    fprintf(stderr, "weir index: ");
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
    va_end(args);
    return 2;
}

const char *index_text(const json_t *json, const char *name)
{
    const char *text = json_string_value(json_object_get(json, name));
    return text ? text : "";
}

int index_tell(const struct index_asking *asking, const json_t *body, const char *text)
{
    bool aside = asking->json && strcmp(asking->json, "-") != 0, good = true;
    index_progress(NULL);
    FILE *out = aside ? fopen(asking->json, "we") : stdout;
    if (out && asking->json)
        good = json_dumpf(body, out, JSON_INDENT(1)) == 0 && fputc('\n', out) != EOF;
    if (out && aside)
        good &= fclose(out) == 0;
    int status = out && good ? 0 : index_refuse("%s cannot be written: %s",
                                                aside ? asking->json : "standard output",
                                                strerror(errno));
    if (!asking->json || aside)
        good = fputs(text, stdout) != EOF;
    good &= fflush(stdout) == 0;
    if (!good && !status)
        status = index_refuse("standard output cannot be written: %s", strerror(errno));
    return status;
}

/* ---- keys ---- */

bool index_read_key(struct index_key *ret, const struct index_asking *asking, bool only_cid)
{
    const char *word = asking->words[0], *clause;
    bool good = !index_key_read(ret, word, &clause);
    if (good && only_cid && ret->is_name)
        clause = "a content id is b3: and 64 hex digits in lower case; weir index resolve says "
                 "what a name stands for";
    if (good && !(only_cid && ret->is_name))
        return true;
    (void)index_refuse("\"%.300s\": %s", word, clause);
    return false;
}

void index_add_escaped(struct wr_text *text, const char *word)
{
    for (; *word; word++)
        if (isalnum((unsigned char)*word) || strchr("-._~:", *word))
            wr_text_bytes(text, word, 1);
        else
            wr_text_format(text, "%%%02X", (unsigned)(unsigned char)*word);
}

/* ---- asking ---- */

/* What helps. */
static const char *advice(const char *code)
{
    static const struct { const char *code, *advice; } table[] = {
        { "not_found", "; who has it can tell others by weir index publish" },
        { "upstream_unready", "; others are asked by a DHT: the node finds one by "
                              "index.proxies, or by a dhtnode (index.dhtnode)" },
        { "timeout", "; try again, the next answer may come from others" },
        { "over_capacity", "; try again in a moment" },
        { "unsupported", "; give the node a data directory (--data)" },
        { "unauthorized", "; only who runs the node may do this by its socket" },
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
        if (strcmp(table[i].code, code) == 0)
            return table[i].advice;
    return "";
}

void index_explain(struct wr_text *ret, const struct local_answer *answer, const char *what)
{
    const char *said = index_text(answer->body, "message");
    wr_text_format(ret, "%.300s: %.300s%s", what, *said ? said : answer->why,
                   advice(index_text(answer->body, "code")));
    if (!*said)
        wr_text_format(ret, " (status %d)", answer->status);
}

int index_ask(struct index_asking *asking, struct local_answer *ret,
              const struct index_question *question)
{
    char room[1000];
    struct wr_text text = WR_TEXT(room);
    struct turn *turn = &asking->turn;
    if (!turn->name)
        *turn = (struct turn){
            .name = "weir index", .flags = &asking->flags, .conf = asking->conf,
            .as = "for as long as it takes", .works = true, .keeps = true, .twice = true };
    int status = turn_ask(turn, ret, question->method, question->target,
                          &(struct local_bytes){ question->len ? question->bytes : "",
                                                 question->len }, PATIENCE_S);
    asking->lost = status;
    if (status || (ret->status >= 200 && ret->status < 300))
        return status;
    index_explain(&text, ret, question->what);
    if (!asking->quiet)
        (void)index_refuse("%s", text.at);
    return 1;
}
