/* venues_test.c - tests of venues.c. */
#include "library/venues.h"

#include <stdio.h>

#include "library/record.h"
#include "testing/test.h"

TEST_PLAIN(the_same_name_has_the_same_number)
{
    struct venues venues;
    bool is_new;
    REQUIRE_OK(venues_init(&venues));
    CHECK_EQ(0, venues_number(&venues, "ACL", &is_new));
    CHECK(is_new);
    CHECK_EQ(1, venues_number(&venues, "EMNLP", &is_new));
    CHECK(is_new);
    CHECK_EQ(0, venues_number(&venues, "ACL", &is_new));
    CHECK(!is_new);
    CHECK_EQ(2, venues.count);
    venues_fini(&venues);
}

TEST_PLAIN(when_there_is_no_room_new_names_have_no_number_and_old_ones_keep_theirs)
{
    struct venues venues;
    char name[32];
    bool is_new;
    REQUIRE_OK(venues_init(&venues));
    for (unsigned i = 0; i < VENUES_MAX; i++) {
        snprintf(name, sizeof(name), "venue %u", i);
        bool in_order = venues_number(&venues, name, &is_new) == i;
        if (!in_order || !is_new)
            CHECK(in_order && is_new);          /* each by itself would be a long report */
    }
    CHECK_EQ(RECORD_NO_VENUE, venues_number(&venues, "one more", &is_new));
    CHECK(!is_new);
    CHECK_EQ(777, venues_number(&venues, "venue 777", &is_new));
    venues_fini(&venues);
}
