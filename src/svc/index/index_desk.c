/* index_desk.c - see index_desk.h. */
#include "svc/index/index_desk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "net/json_in.h"
#include "store/blob.h"
#include "svc/index/catalog.h"
#include "svc/index/index_key.h"
#include "svc/index/resolver.h"

wr_err index_desk_of(struct wr_call *call, struct index_desk **ret)
{
    *ret = wr_call_arg(call);
    if ((*ret)->store)
        return WR_OK;
    return wr_call_fail(call, WR_UNSUPPORTED, "there is no index here: it needs a store");
}

wr_err index_desk_fail(struct wr_call *call, wr_err err, const char *why)
{
    if (err == WR_IO || err == WR_DEGRADED)
        wr_call_status(call, 503);
    else if (err == WR_QUARANTINE)
        wr_call_status(call, 500);
    return why && why[0] ? wr_call_fail(call, err, "%s", why) : err;
}

wr_err index_desk_answer(struct wr_call *call, wr_err err, unsigned status,
                         struct wr_text *text)
{
    if (!err && text->cut)
        err = WR_NOMEM;
    if (!err) {
        wr_call_status(call, status);
        wr_call_type(call, "application/json");
        wr_call_write(call, text->at, text->len);
    }
    wr_text_free(text);
    return err;
}

uint64_t index_desk_pins_max(struct index_desk *desk)
{
    const struct index_settings *settings = wr_cell_get(desk->settings);
    uint64_t max = (uint64_t)wr_conf_int(settings->conf, "index.pins_max");
    wr_cell_put(desk->settings, settings);
    return max;
}

wr_err index_desk_has(struct index_desk *desk, const struct index_key *key, wr_time deadline)
{
    struct catalog_pointer pointer;
    char *bytes = NULL;
    size_t len;
    if (key->is_name)
        return catalog_get(desk->store, CATALOG_SITE, index_key_name(key), &pointer, deadline);
    wr_err err = store_blob_get(desk->store, key->text, &bytes, &len, deadline);
    free(bytes);
    return err;
}

void index_desk_forget(struct index_desk *desk, const char *prefix, const char *rest)
{
    struct index_key key;
    const char *clause;
    char text[INDEX_KEY_TEXT];
    snprintf(text, sizeof(text), "%s%s", prefix, rest);
    if (!index_key_read(&key, text, &clause))
        resolver_drop(desk->resolver, &key);
}

size_t index_desk_number(struct wr_call *call, const char *name, size_t min, size_t max,
                         size_t preset)
{
    const char *text = wr_call_query(call, name);
    size_t digits = text ? strspn(text, "0123456789") : 0;
    if (!text || text[digits])
        return preset;
    size_t number = digits > 9 ? max : digits ? strtoul(text, NULL, 10) : preset;
    return number < min ? min : number > max ? max : number;
}

wr_err index_desk_is_json(struct wr_call *call)
{
    static const char wanted[] = "application/json";
    const char *type = wr_call_header(call, "content-type");
    size_t len = type ? strcspn(type, "; \t") : 0;
    if (!type || (len == sizeof(wanted) - 1 && strncasecmp(type, wanted, len) == 0))
        return WR_OK;
    wr_call_status(call, 415);
    return wr_call_fail(call, WR_UNSUPPORTED, "a body is application/json");
}

static bool is_known(const char *const *names, const char *name)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names;
}

wr_err index_desk_body(struct wr_call *call, const char *const *names, json_t **ret)
{
    size_t len;
    const char *body = wr_call_body(call, &len), *name;
    json_t *value;
    wr_err err = index_desk_is_json(call);
    if (err)
        return err;
    *ret = json_in_object(body, len);
    if (!*ret)
        return wr_call_fail(call, WR_INVALID, "the body must be an object of JSON");
    json_object_foreach(*ret, name, value) if (!is_known(names, name))
    {
        json_decref(*ret);
        return wr_call_fail(call, WR_INVALID, "the body has a member that is not known");
    }
    return WR_OK;
}
