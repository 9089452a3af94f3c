/* route.c - see route.h. */
#include "net/route.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

struct segment { const char *at; size_t len; bool param; };

struct compiled {
    const struct wr_route *route;
    struct segment segments[SEGMENTS_MAX];
    size_t count;
    bool params;
    size_t next;                    /* in its bucket: index + 1, 0 for none */
};

struct routes {
    size_t count;
    size_t buckets;                 /* a power of two */
    size_t *first;                  /* index + 1 */
    struct compiled routes[];
};

static uint64_t hash(const char *text)
{
    uint64_t sum = 0xcbf29ce484222325;      /* FNV-1a */
    for (; *text; text++)
        sum = (sum ^ (unsigned char)*text) * 0x100000001b3;
    return sum;
}

/* ---- the table ---- */

static void compile(struct compiled *ret, const struct wr_route *route, const char *place)
{
    *ret = (struct compiled){ .route = route };
    if (!route->method || !route->path || !route->handler || route->path[0] != '/')
        wr_panic_at(place, "route \"%s %s\": a method, a path from / and a handler are needed",
                    route->method ? route->method : "?", route->path ? route->path : "?");
    size_t params = 0;
    for (const char *at = route->path + 1;;) {
        size_t len = strcspn(at, "/");
        bool param = len > 2 && at[0] == '{' && at[len - 1] == '}';
        if (ret->count == SEGMENTS_MAX || (params += param) > PARAMS_MAX)
            wr_panic_at(place, "route \"%s %s\": at most %d segments and %d parameters",
                        route->method, route->path, SEGMENTS_MAX, PARAMS_MAX);
        ret->segments[ret->count++] =
            (struct segment){ at + param, len - 2 * (size_t)param, param };
        ret->params |= param;
        if (!at[len])
            break;
        at += len + 1;
    }
}

static bool same_pattern(const struct compiled *a, const struct compiled *b)
{
    if (a->count != b->count || strcmp(a->route->method, b->route->method) != 0)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        const struct segment *one = &a->segments[i], *other = &b->segments[i];
        if (one->param != other->param)
            return false;
        if (!one->param
            && (one->len != other->len || memcmp(one->at, other->at, one->len) != 0))
            return false;
    }
    return true;
}

wr_err routes_new(struct routes **ret, const struct wr_route *table, size_t count,
                  const char *place)
{
    size_t buckets = 1;
    while (buckets < 2 * count)
        buckets *= 2;
    struct routes *routes = calloc(1, sizeof(*routes) + count * sizeof(routes->routes[0]));
    size_t *first = calloc(buckets, sizeof(*first));
    if (!routes || !first) {
        free(routes);
        free(first);
        return WR_NOMEM;
    }
    routes->count = count;
    routes->buckets = buckets;
    routes->first = first;
    for (size_t i = 0; i < count; i++) {
        struct compiled *made = &routes->routes[i];
        compile(made, &table[i], place);
        for (size_t j = 0; j < i; j++)
            if (same_pattern(made, &routes->routes[j]))
                wr_panic_at(place, "route \"%s %s\" is in the table twice", table[i].method,
                            table[i].path);
        if (!made->params) {
            size_t *bucket = &first[hash(table[i].path) & (buckets - 1)];
            made->next = *bucket;
            *bucket = i + 1;
        }
    }
    *ret = routes;
    return WR_OK;
}

void routes_free(struct routes *routes)
{
    if (!routes)
        return;
    free(routes->first);
    free(routes);
}

/* ---- looking up ---- */

static size_t split(char *path, struct segment *segments)
{
    size_t count = 0;
    for (char *at = path + 1;;) {
        size_t len = strcspn(at, "/");
        if (count == SEGMENTS_MAX)
            return 0;
        segments[count++] = (struct segment){ .at = at, .len = len };
        if (!at[len])
            return count;
        at += len + 1;
    }
}

static bool matches(const struct compiled *route, const struct segment *segments, size_t count)
{
    if (route->count != count)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct segment *want = &route->segments[i], *have = &segments[i];
        if (want->param ? have->len == 0
                        : want->len != have->len || memcmp(want->at, have->at, want->len) != 0)
            return false;
    }
    return true;
}

static bool serves(const struct wr_route *route, const char *method)
{
    return strcmp(route->method, method) == 0
        || (strcmp(method, "HEAD") == 0 && strcmp(route->method, "GET") == 0);
}

/* Each value ends where its segment does. */
static void cut_out(const struct compiled *route, const struct segment *segments,
                    struct params *ret)
{
    size_t param = 0;
    for (size_t i = 0; i < route->count; i++) {
        if (!route->segments[i].param)
            continue;
        char *value = (char *)(uintptr_t)segments[i].at;
        value[segments[i].len] = '\0';
        ret->value[param++] = value;
    }
}

struct found routes_find(const struct routes *routes, const char *method, char *path,
                         struct params *ret)
{
    struct found found = { 0 };
    size_t at = routes->first[hash(path) & (routes->buckets - 1)];
    for (; at; at = routes->routes[at - 1].next) {
        const struct wr_route *route = routes->routes[at - 1].route;
        if (strcmp(route->path, path) != 0)
            continue;
        found.path_known = true;
        if (serves(route, method)) {
            found.route = route;
            found.index = at - 1;
            return found;
        }
    }
    struct segment segments[SEGMENTS_MAX];
    size_t count = split(path, segments);
    for (size_t i = 0; i < routes->count && count; i++) {
        const struct compiled *route = &routes->routes[i];
        if (!route->params || !matches(route, segments, count))
            continue;
        found.path_known = true;
        if (serves(route->route, method)) {
            cut_out(route, segments, ret);
            found.route = route->route;
            found.index = i;
            return found;
        }
    }
    return found;
}

const char *route_param(const struct wr_route *route, const struct params *params,
                        const char *name)
{
    size_t len = strlen(name), at = 0;
    for (const char *brace = route->path; (brace = strchr(brace, '{')); brace++, at++)
        if (strncmp(brace + 1, name, len) == 0 && brace[len + 1] == '}')
            return params->value[at];
    return NULL;
}

void routes_allowed(const struct routes *routes, char *path, char *buf, size_t size)
{
    struct wr_text text = wr_text_over(buf, size);
    struct segment segments[SEGMENTS_MAX];
    size_t count = split(path, segments);
    for (size_t i = 0; i < routes->count; i++) {
        const struct compiled *route = &routes->routes[i];
        if (!count || !matches(route, segments, count))
            continue;
        wr_text_format(&text, "%s%s", text.len ? ", " : "", route->route->method);
        if (strcmp(route->route->method, "GET") == 0)
            wr_text_str(&text, ", HEAD");
    }
}
