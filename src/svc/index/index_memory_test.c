#include "svc/index/index_memory.h"

#include <stdio.h>
#include <string.h>

#include <weir/task.h>

#include "svc/index/lookup.h"
#include "testing/metric_rig.h"
#include "testing/settle.h"

static struct index_memory *memory;
static struct wr_scope *janitors;

static void begin(const struct index_memory_conf *conf)
{
    janitors = scope_open();
    REQUIRE_OK(index_memory_new(&memory, conf));
    CHECK_OK(index_memory_start(memory, janitors));
}

static void end(void)
{
    wr_scope_cancel(janitors);
    (void)!wr_scope_close(janitors);
    index_memory_free(memory);
}

/* Providers of these ids, a letter each. */
static struct wr_bytes *set_of(const char *ids)
{
    struct wr_bytes *bytes;
    size_t count = strlen(ids);
    REQUIRE_OK(wr_bytes_new(&bytes, sizeof(struct found) + count * sizeof(struct provider)),
               NULL);
    memset(bytes->data, 0, bytes->len);
    struct found *found = (struct found *)(void *)bytes->data;
    found->count = count;
    for (size_t i = 0; i < count; i++)
        found->providers[i].id[0] = ids[i];
    return bytes;
}

static void put(const char *text, const char *ids)
{
    struct wr_bytes *set = set_of(ids);
    index_memory_put(memory, INDEX_PROVIDERS, text, set);
    wr_bytes_unref(set);
}

static enum wr_cache_found get(enum index_question kind, const char *text)
{
    struct wr_bytes *bytes = NULL;
    enum wr_cache_found found = index_memory_get(memory, kind, text, &bytes);
    wr_bytes_unref(bytes);
    return found;
}

TEST(manifests_and_providers_are_remembered_apart_until_their_time_is_over)
{
    begin(&(struct index_memory_conf){ 0 });
    put("a", "x");
    index_memory_put(memory, INDEX_MANIFEST, "n", NULL);
    CHECK_EQ(WR_CACHE_HIT, get(INDEX_PROVIDERS, "a"));
    CHECK_EQ(WR_CACHE_MISS, get(INDEX_MANIFEST, "a"));
    CHECK_EQ(WR_CACHE_NOTHING, get(INDEX_MANIFEST, "n"));
    CHECK_OK(wr_sleep(wr_after(WR_S(2) - 1)));
    CHECK_EQ(WR_CACHE_NOTHING, get(INDEX_MANIFEST, "n"));
    CHECK_OK(wr_sleep(wr_after(1)));
    CHECK_EQ(WR_CACHE_MISS, get(INDEX_MANIFEST, "n"));
    CHECK_OK(wr_sleep(wr_after(WR_S(8) - 1)));
    CHECK_EQ(WR_CACHE_HIT, get(INDEX_PROVIDERS, "a"));
    CHECK_OK(wr_sleep(wr_after(1)));
    CHECK_EQ(WR_CACHE_MISS, get(INDEX_PROVIDERS, "a"));
    end();
}

TEST(what_is_dropped_is_gone_from_both)
{
    struct wr_bytes *set = set_of("x");
    begin(&(struct index_memory_conf){ 0 });
    put("a", "x");
    put("b", "x");
    index_memory_put(memory, INDEX_MANIFEST, "a", set);
    index_memory_pin(memory, INDEX_PROVIDERS, "a", set);
    CHECK_EQ(4, index_memory_size(memory));
    CHECK_EQ(4, metric_value("index_cache_size{svc=\"index\"}"));
    index_memory_drop(memory, "a");
    CHECK_EQ(WR_CACHE_MISS, get(INDEX_PROVIDERS, "a"));
    CHECK_EQ(WR_CACHE_MISS, get(INDEX_MANIFEST, "a"));
    CHECK_EQ(WR_CACHE_HIT, get(INDEX_PROVIDERS, "b"));
    index_memory_clear(memory);
    CHECK_EQ(0, index_memory_size(memory));
    wr_bytes_unref(set);
    end();
}

TEST(a_flood_of_others_does_not_crowd_out_what_is_pinned)
{
    struct wr_bytes *set = set_of("x");
    begin(&(struct index_memory_conf){ .entries_max = 100, .ttl = WR_S(3600) });
    put("pinned", "x");
    index_memory_pin(memory, INDEX_PROVIDERS, "pinned", set);
    for (int i = 0; i < 5000; i++) {
        char text[16];
        snprintf(text, sizeof(text), "%d", i);
        put(text, "y");
        if (i % 50 == 0)
            CHECK_OK(wr_sleep(wr_after(WR_S(2))));
    }
    CHECK(index_memory_size(memory) <= 101);
    CHECK_EQ(WR_CACHE_HIT, get(INDEX_PROVIDERS, "pinned"));
    wr_bytes_unref(set);
    end();
}

TEST(a_set_of_others_counts_as_a_change_whatever_its_order)
{
    begin(&(struct index_memory_conf){ 0 });
    static const char series[] = "index_provider_set_changes_total{svc=\"index\"}";
    put("a", "xy");
    put("a", "yx");
    CHECK(metric_value(series) <= 0);
    put("a", "yz");
    CHECK_EQ(1, metric_value(series));
    put("a", "y");
    CHECK_EQ(2, metric_value(series));
    put("a", "yz");
    CHECK_EQ(3, metric_value(series));
    end();
}

TEST(what_is_known_of_a_pinned_one_is_the_last_that_was_put)
{
    struct wr_bytes *old = set_of("x"), *now = NULL;
    begin(&(struct index_memory_conf){ 0 });
    index_memory_pin(memory, INDEX_PROVIDERS, "a", old);
    put("a", "yz");
    CHECK_EQ(WR_CACHE_HIT, index_memory_get(memory, INDEX_PROVIDERS, "a", &now));
    CHECK_EQ(2, found_in(now)->count);
    CHECK_EQ(1, index_memory_size(memory));
    wr_bytes_unref(now);
    wr_bytes_unref(old);
    end();
}
