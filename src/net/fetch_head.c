/* fetch_head.c - see fetch_head.h. */
#include "net/fetch_head.h"

#include <stdlib.h>
#include <string.h>

void fetch_head_reset(struct fetch_head *head)
{
    head->status = 0;
    head->count = head->len = 0;
}

void fetch_head_free(struct fetch_head *head)
{
    free(head->text);
    head->text = NULL;
    head->cap = 0;
    fetch_head_reset(head);
}

static wr_err make_room(struct fetch_head *head, size_t more)
{
    size_t cap = head->cap ? head->cap : 512;
    if (more > FETCH_HEAD_MAX - head->len)
        return WR_DENIED;
    while (cap < head->len + more)
        cap *= 2;
    if (cap == head->cap)
        return WR_OK;
    char *text = realloc(head->text, cap);
    if (!text)
        return WR_NOMEM;
    head->text = text;
    head->cap = cap;
    return WR_OK;
}

static size_t put(struct fetch_head *head, const char *bytes, size_t len)
{
    size_t at = head->len;
    memcpy(head->text + at, bytes, len);
    head->text[at + len] = '\0';
    head->len += len + 1;
    return at;
}

bool fetch_token_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
        || (c && strchr("!#$%&'*+-.^_`|~", c));
}

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool token(const char *name, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!fetch_token_char(name[i]))
            return false;
    return len > 0;
}

wr_err fetch_head_add(struct fetch_head *head, const char *name, size_t name_len,
                      const char *value, size_t value_len)
{
    while (value_len > 0 && blank(value[0])) {
        value++;
        value_len--;
    }
    while (value_len > 0 && blank(value[value_len - 1]))
        value_len--;
    if (head->count == FETCH_FIELDS_MAX || name_len > FETCH_HEAD_MAX
        || value_len > FETCH_HEAD_MAX)
        return WR_DENIED;
    if (!token(name, name_len))
        return WR_INVALID;
    wr_err err = make_room(head, name_len + value_len + 2);
    if (err)
        return err;
    size_t at = put(head, name, name_len);
    for (char *c = head->text + at; *c; c++)
        if (*c >= 'A' && *c <= 'Z')
            *c = (char)(*c - 'A' + 'a');
    head->fields[head->count].name = at;
    head->fields[head->count].value = put(head, value, value_len);
    head->count++;
    return WR_OK;
}

wr_err fetch_head_refused(wr_err err, const char **ret_why)
{
    *ret_why = err == WR_DENIED ? "its head has more than 128 fields or 64 KiB"
        : err == WR_INVALID ? "its head has a field whose name is none"
                            : "there is no memory for its head";
    return err == WR_INVALID ? WR_IO : err;
}

const char *fetch_head_get(const struct fetch_head *head, const char *name)
{
    for (size_t i = 0; i < head->count; i++)
        if (strcmp(head->text + head->fields[i].name, name) == 0)
            return head->text + head->fields[i].value;
    return NULL;
}

wr_err fetch_head_give(const struct fetch_head *head, const char *url,
                       struct wr_fetch_reply *ret)
{
    size_t table = head->count * sizeof(struct wr_fetch_header), url_len = strlen(url) + 1;
    char *block = malloc(table + head->len + url_len);
    if (!block)
        return WR_NOMEM;
    struct wr_fetch_header *headers = (struct wr_fetch_header *)(void *)block;
    char *text = block + table;
    if (head->len > 0)
        memcpy(text, head->text, head->len);
    for (size_t i = 0; i < head->count; i++)
        headers[i] = (struct wr_fetch_header){ text + head->fields[i].name,
                                               text + head->fields[i].value };
    memcpy(text + head->len, url, url_len);
    ret->status = head->status;
    ret->headers = headers;
    ret->header_count = head->count;
    ret->url = text + head->len;
    ret->head = block;
    return WR_OK;
}
