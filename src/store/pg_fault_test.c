#include "store/pg_fault.h"

#include <string.h>

#include "testing/test.h"

TEST(the_signs_of_a_statement_say_what_can_be_done)
{
    CHECK_ERR(WR_EXISTS, pg_fault_of("23505"));
    CHECK_ERR(WR_INVALID, pg_fault_of("23514"));
    CHECK_ERR(WR_INVALID, pg_fault_of("22P02"));
    CHECK_ERR(WR_TIMEOUT, pg_fault_of("57014"));
    CHECK_ERR(WR_BUSY, pg_fault_of("40P01"));
    CHECK_ERR(WR_DENIED, pg_fault_of("42501"));
    CHECK_ERR(WR_IO, pg_fault_of("57P01"));
    CHECK_ERR(WR_IO, pg_fault_of(NULL));
}

TEST(a_refused_connection_is_said_in_our_words_and_theirs)
{
    struct store_why why;
    CHECK_ERR(WR_DENIED, pg_fault_opening("connection failed: FATAL:  28P01: password is "
                                          "wrong\nLOCATION", &why));
    CHECK(strstr(why.text, "password in the url): password is wrong"));
    CHECK(!strstr(why.text, "LOCATION"));
    CHECK_ERR(WR_NOTFOUND, pg_fault_opening("FATAL: X: FATAL:  3D000: no \"x\"", &why));
    CHECK(strstr(why.text, "createdb"));
    CHECK_ERR(WR_IO, pg_fault_opening("FATAL:  53300: too many", &why));
    CHECK_STR("the server refuses the connection: too many", why.text);
}

TEST(a_server_that_has_not_answered_cannot_be_reached)
{
    struct store_why why;
    CHECK_ERR(WR_IO, pg_fault_opening("could not connect: Connection refused\n", &why));
    CHECK_STR("cannot reach the server: could not connect: Connection refused", why.text);
}
