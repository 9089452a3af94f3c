/* entity_test.c - tests of entity.c. */
#include "library/entity.h"

#include "testing/test.h"

TEST_PLAIN(letters_have_names_whatever_their_place_in_the_table)
{
    CHECK_STR("\u00c6", entity_text("AElig"));
    CHECK_STR("\u00fc", entity_text("uuml"));
    CHECK_STR("\u00dc", entity_text("Uuml"));
    CHECK_STR("\u00df", entity_text("szlig"));
    CHECK_STR("\u00ff", entity_text("yuml"));
    CHECK(!entity_text("zzz"));
    CHECK(!entity_text(""));
}
