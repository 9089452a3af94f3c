#include "store/pg_url.h"

#include <libpq-fe.h>
#include <stdio.h>
#include <string.h>

#define IDLE_IN_TRANSACTION_MS 10000

static void add(struct pg_url *self, const char *word, const char *value)
{
    WR_ASSERT(self->count < PG_URL_WORDS_MAX - 1);
    self->words[self->count] = word;
    self->values[self->count++] = value;
}

static const struct { const char *word, *value; } usual[] = {
    { "application_name", "weir" }, { "client_encoding", "UTF8" },
    { "target_session_attrs", "read-write" }, { "tcp_user_timeout", "10000" },
    { "keepalives_idle", "10" }, { "keepalives_interval", "5" }, { "keepalives_count", "3" },
};

static bool is_given(const struct pg_url *self, const char *word)
{
    for (size_t i = 0; i < self->count; i++)
        if (strcmp(self->words[i], word) == 0)
            return true;
    return false;
}

wr_err pg_url_read(struct pg_url *self, const char *url, const struct pg_limits *limits,
                   struct store_why *why)
{
    char *fault = NULL;
    const char *own = "";
    self->parsed = PQconninfoParse(url, &fault);
    if (!self->parsed) {
        store_say(why, "the url of the store is not one: %.*s",
                  fault ? (int)strcspn(fault, "\n") : 13, fault ? fault : "out of memory");
        PQfreemem(fault);
        return WR_INVALID;
    }
    for (const PQconninfoOption *one = self->parsed; one->keyword; one++) {
        if (one->val && strcmp(one->keyword, "options") == 0)
            own = one->val;
        else if (one->val)
            add(self, one->keyword, one->val);
    }
    for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
        if (!is_given(self, usual[i].word))
            add(self, usual[i].word, usual[i].value);
    int len = snprintf(self->options, sizeof(self->options),
        "-c statement_timeout=%lld -c lock_timeout=%lld"
        " -c idle_in_transaction_session_timeout=%d"
        " -c default_transaction_isolation=read\\ committed %s",
        (long long)(limits->statement / WR_MS(1)), (long long)(limits->lock / WR_MS(1)),
        IDLE_IN_TRANSACTION_MS, own);
    if (len >= (int)sizeof(self->options)) {
        store_say(why, "the options in the url of the store are longer than %d bytes",
                  PG_URL_OPTIONS_MAX);
        return WR_INVALID;
    }
    add(self, "options", self->options);
    return WR_OK;
}

void pg_url_free(struct pg_url *self)
{
    PQconninfoFree(self->parsed);
    *self = (struct pg_url){ 0 };
}
