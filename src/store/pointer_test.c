#include "store/pointer.h"

#include <string.h>

#include "testing/store_rig.h"

#define SOON wr_after(WR_S(5))

static int64_t put(struct store *store, const char *name, const char *value, int64_t version)
{
    int64_t now = -9;
    wr_err err = store_pointer_put(store, "site", name, value, version, &now, SOON);
    CHECK(err == WR_OK || err == WR_EXISTS);
    return err ? -9 : now;
}

STORE_TEST(a_name_points_to_the_last_that_was_put)
{
    struct store_pointers name;
    CHECK_ERR(WR_NOTFOUND, store_pointer_get(store, "site", "a", &name, SOON));
    store_pointers_free(&name);
    CHECK_EQ(1, put(store, "a", "one", STORE_POINTER_ANY));
    CHECK_EQ(2, put(store, "a", "two", STORE_POINTER_ANY));
    CHECK_OK(store_pointer_get(store, "site", "a", &name, SOON));
    CHECK_STR("two", name.first.value);
    CHECK_EQ(2, name.first.version);
    CHECK_EQ(rig_wall().ns / WR_MS(1), name.first.updated_at.ns / WR_MS(1));
    store_pointers_free(&name);
    CHECK_ERR(WR_NOTFOUND, store_pointer_get(store, "asset", "a", &name, SOON));
    store_pointers_free(&name);
}

STORE_TEST(who_changes_what_another_has_changed_learns_it)
{
    CHECK_EQ(-9, put(store, "a", "x", 1));                  /* there is none */
    CHECK_EQ(1, put(store, "a", "one", STORE_POINTER_NEW));
    CHECK_EQ(-9, put(store, "a", "again", STORE_POINTER_NEW));
    CHECK_EQ(2, put(store, "a", "two", 1));
    CHECK_EQ(-9, put(store, "a", "late", 1));
    struct store_pointers name;
    CHECK_OK(store_pointer_get(store, "site", "a", &name, SOON));
    CHECK_STR("two", name.first.value);
    store_pointers_free(&name);
}

STORE_TEST(a_removed_name_is_gone_and_begins_anew)
{
    CHECK_EQ(1, put(store, "a", "one", STORE_POINTER_ANY));
    CHECK_EQ(2, put(store, "a", "two", STORE_POINTER_ANY));
    CHECK_OK(store_pointer_remove(store, "site", "a", SOON));
    CHECK_ERR(WR_NOTFOUND, store_pointer_remove(store, "site", "a", SOON));
    CHECK_EQ(1, put(store, "a", "one", STORE_POINTER_NEW));
}

STORE_TEST(names_are_listed_in_order_some_at_a_time)
{
    static const char *const names[] = { "b", "d", "a", "c", "B" };
    struct store_pointers list;
    for (size_t i = 0; i < 5; i++)
        CHECK_EQ(1, put(store, names[i], names[i], STORE_POINTER_ANY));
    uint64_t count;
    CHECK_OK(store_pointer_count(store, "site", &count, SOON));
    CHECK_EQ(5, count);
    CHECK_OK(store_pointer_count(store, "asset", &count, SOON));
    CHECK_EQ(0, count);
    CHECK_OK(store_pointer_list(store, "site", NULL, 3, &list, SOON));
    REQUIRE(list.count == 3);
    CHECK_STR("B", store_pointer_at(&list, 0).name);
    CHECK_STR("b", store_pointer_at(&list, 2).value);
    store_pointers_free(&list);
    CHECK_OK(store_pointer_list(store, "site", "b", 3, &list, SOON));
    REQUIRE(list.count == 2);
    CHECK_STR("d", store_pointer_at(&list, 1).name);
    store_pointers_free(&list);
}

STORE_TEST(a_name_that_is_too_long_is_refused)
{
    char name[STORE_POINTER_MAX + 2];
    int64_t version;
    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    CHECK_ERR(WR_INVALID, store_pointer_put(store, "site", name, "v", STORE_POINTER_ANY,
                                            &version, SOON));
    CHECK_EQ(1, put(store, name + 1, "v", STORE_POINTER_ANY));
}
