/* queue_ask.c - see queue_ask.h. */
#include "cmd/weir/queue_ask.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/weir/turn.h"

#define TEXT_MAX ((size_t)32 << 20)

static const char *const text_names[ASK_COUNT] = {
    [ASK_TASK] = "task", [ASK_HYPOTHESIS] = "hypothesis", [ASK_PAGES] = "pages",
    [ASK_SECONDS] = "seconds", [ASK_PRIORITY] = "priority", [ASK_ENGINES] = "engines",
    [ASK_APIS] = "apis", [ASK_WAIT] = "wait", [ASK_MODE] = "mode", [ASK_SCOPE] = "scope",
    [ASK_REASON] = "reason", [ASK_DOMAIN] = "domain", [ASK_LIMIT] = "limit",
    [ASK_ONLY] = "only",
    [ASK_EXCEPT] = "except", [ASK_JSON] = "json",
};

const char *queue_text_name(enum queue_text which)
{
    return text_names[which];
}

int queue_refuse(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "weir queue: ");
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
    va_end(args);
    return 2;
}

/* Which command helps. */
static const char *advice(const json_t *problem)
{
    static const struct { const char *code, *param, *advice; } table[] = {
        { "TASK_NOT_FOUND", "task_id", "; weir queue list has those that there are" },
        { "RESOURCE_NOT_FOUND", "queue_id", "; weir queue auth lists what does" },
        { "BUDGET_EXHAUSTED", "task_id", "; weir queue budget TASK --pages N --seconds N says "
                                         "how much" },
    };
    const char *code = json_string_value(json_object_get(problem, "error_code"));
    const char *param = json_string_value(json_object_get(problem, "param"));
    for (size_t i = 0; code && param && i < sizeof(table) / sizeof(*table); i++)
        if (strcmp(table[i].code, code) == 0 && strcmp(table[i].param, param) == 0)
            return table[i].advice;
    return "";
}

int queue_ask(struct queue_asking *asking, struct local_answer *ret, const char *method,
              const char *target, const struct wr_text *body, int wait)
{
    const char *what = body ? body->at : "";
    *ret = (struct local_answer){ 0 };
    if (body && body->cut)
        return queue_refuse("this is too much for one call; give fewer targets at a time");
    struct turn turn = {
        .name = "weir queue", .flags = &asking->flags, .conf = asking->conf,
        .as = asking->works ? "until the task is done" : "for this question, and does no jobs",
        .works = asking->works, .keeps = !asking->works, .companion = asking->companion };
    int status = turn_ask(&turn, ret, method, target,
                          &(struct local_bytes){ what, strlen(what) },
                          wait + QUEUE_PATIENCE_S);
    asking->companion = turn.companion;
    if (status)
        return status;
    if (ret->status >= 200 && ret->status < 300 && ret->body)
        return 0;
    const char *said = json_string_value(json_object_get(ret->body, "error"));
    fprintf(stderr, "weir queue: %s%s\n", said ? said : ret->why, advice(ret->body));
    return 1;
}

bool queue_place(struct wr_text *ret, const char *folder, const char *id, const char *more)
{
    static const char good[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                               "_-";
    if (!*id || id[strspn(id, good)] || strlen(id) > QUEUE_ID_MAX) {
        (void)queue_refuse("\"%s\" cannot be an id: those are letters, digits, _ and -; weir "
                           "queue list has them", id);
        return false;
    }
    wr_text_format(ret, "/v1/queue/%s/%s%s", folder, id, more);
    return true;
}

int queue_tell(const struct queue_asking *asking, const json_t *body,
               const struct wr_text *text)
{
    const char *path = asking->texts[ASK_JSON];
    FILE *out = path && strcmp(path, "-") != 0 ? fopen(path, "w") : stdout;
    if (!out) {
        fprintf(stderr, "weir queue: %s cannot be written: %s\n", path, strerror(errno));
        return 2;
    }
    bool good = true;
    if (path)
        good = json_dumpf(body, out, JSON_INDENT(1)) == 0 && fputc('\n', out) != EOF;
    if (out != stdout)
        good &= fclose(out) == 0;
    if (!path || out != stdout)
        good &= fwrite(text->at, 1, text->len, stdout) == text->len && fflush(stdout) == 0;
    if (!good)
        fprintf(stderr, "weir queue: %s cannot be written: %s\n", path ? path : "the answer",
                strerror(errno));
    return good ? 0 : 2;
}

int queue_inquire(struct queue_asking *asking, const char *method, const char *target,
                  const struct wr_text *body, int wait, queue_show_fn *show)
{
    struct local_answer answer;
    int status = queue_ask(asking, &answer, method, target, body, wait);
    if (!status) {
        struct wr_text text = wr_text_heap(TEXT_MAX);
        show(&text, answer.body);
        status = queue_tell(asking, answer.body, &text);
        wr_text_free(&text);
    }
    local_free(&answer);
    return status;
}

long queue_number(const struct queue_asking *asking, enum queue_text which, long most)
{
    const char *value = asking->texts[which];
    char *end;
    if (!value)
        return -1;
    errno = 0;
    long number = strtol(value, &end, 10);
    if (*value >= '0' && *value <= '9' && !*end && !errno && number <= most)
        return number;
    fprintf(stderr, "weir queue: --%s \"%s\" must be a number from 0 to %ld\n",
            queue_text_name(which), value, most);
    return -2;
}
