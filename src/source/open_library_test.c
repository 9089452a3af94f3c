#include "testing/source_rig.h"

TEST_PLAIN(open_library_is_asked_by_title)
{
    CHECK_STR("https://openlibrary.org/search.json?title=Quiet%20Rivers%20Deep&limit=5&"
              "fields=title,subtitle,author_name,key,first_publish_year,publisher",
              asked(&source_open_library, SOURCE_BY_TITLE, "Quiet Rivers Deep"));
}

TEST_PLAIN(books_of_open_library_become_records)
{
    CHECK_STR(
        "Quiet Rivers: A Study | Doe, Jane | 1998 | River Press | - | - | - | - | /works/OL1W",
        told(&source_open_library, SOURCE_BY_TITLE, "x",
             "{\"numFound\":1,\"docs\":[{\"key\":\"/works/OL1W\",\"title\":\"Quiet Rivers\","
             "\"subtitle\":\"A Study\",\"author_name\":[\"Jane "
             "Doe\",3],\"first_publish_year\":1998,"
             "\"publisher\":[\"River Press\",\"Other\"]}]}"));
    CHECK_EQ(BIB_BOOK, rig_reading.records[0].work.kind);
}
