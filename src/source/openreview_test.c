#include "testing/source_rig.h"

TEST_PLAIN(openreview_is_asked_by_title_and_by_forum)
{
    CHECK_STR("https://api2.openreview.net/notes/search?term=Quiet%20Rivers%20Deep&type=terms&"
              "content=title&source=forum&limit=5",
              asked(&source_openreview, SOURCE_BY_TITLE, "Quiet Rivers Deep"));
    CHECK_STR("https://api2.openreview.net/notes?id=aB_c-9",
              asked(&source_openreview, SOURCE_BY_FORUM, "aB_c-9"));
}

TEST_PLAIN(notes_of_both_versions_become_records)
{
    CHECK_STR("Quiet Rivers | Doe, Jane | 2026 | ICLR 2026 Poster | - | - | - | - | aB\n"
              "Deep Rivers | Roe, R. | 2019 | - | - | - | - | - | cD",
              told(&source_openreview, SOURCE_BY_TITLE, "x",
        "{\"count\":2,\"notes\":[{\"id\":\"aB\",\"cdate\":1727000000000,\"content\":{"
        "\"title\":{\"value\":\"Quiet Rivers\"},\"authors\":{\"value\":[\"Jane Doe\"]},"
        "\"venue\":{\"value\":\"ICLR 2026 Poster\"}}},"
        "{\"id\":\"cD\",\"cdate\":1560000000000,\"content\":{\"title\":\"Deep Rivers\","
        "\"authors\":[\"R. Roe\"]}}]}"));
}

TEST_PLAIN(an_absurd_date_is_no_year_that_overflows)
{
    told(&source_openreview, SOURCE_BY_TITLE, "x",
         "{\"notes\":[{\"cdate\":9223372036854775807,\"content\":{\"title\":\"T\"}},"
         "{\"cdate\":-9223372036854775807,\"content\":{\"title\":\"T\"}}]}");
    CHECK_EQ(2, rig_reading.count);
}
