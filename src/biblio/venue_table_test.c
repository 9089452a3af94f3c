/* venue_table_test.c - the table is what venue.c takes it for. */
#include "biblio/venue_table.h"

#include <string.h>

#include "testing/test.h"

TEST_PLAIN(no_acronym_stands_for_two_venues)
{
    for (size_t i = 0; i < venue_table_count; i++)
        for (const char *at = venue_table[i].acronyms; *at;) {
            size_t len = strcspn(at, "|");
            char name[32] = { 0 };
            REQUIRE(len < sizeof(name));
            memcpy(name, at, len);
            for (size_t j = i + 1; j < venue_table_count; j++) {
                const char *hit = strstr(venue_table[j].acronyms, name);
                bool whole = hit && (hit == venue_table[j].acronyms || hit[-1] == '|') &&
                             (hit[len] == '|' || hit[len] == '\0');
                if (!CHECK(!whole))
                    CHECK_STR("", name);
            }
            at += len + (at[len] == '|');
        }
}

TEST_PLAIN(names_are_folded)
{
    for (size_t i = 0; i < venue_table_count; i++) {
        const char *allowed = "abcdefghijklmnopqrstuvwxyz0123456789 |";
        CHECK_EQ(strlen(venue_table[i].names), strspn(venue_table[i].names, allowed));
        CHECK_EQ(strlen(venue_table[i].acronyms), strspn(venue_table[i].acronyms, allowed));
        CHECK(venue_table[i].flags != 0);
    }
}
