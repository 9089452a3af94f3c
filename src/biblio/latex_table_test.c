/* latex_table_test.c - the table of commands can be searched. */
#include "biblio/latex_table.h"

#include <string.h>

#include "testing/test.h"

TEST_PLAIN(the_table_of_commands_is_in_order)
{
    for (size_t i = 1; i < latex_command_count; i++)
        CHECK(strcmp(latex_commands[i - 1].name, latex_commands[i].name) < 0);
}

TEST_PLAIN(every_command_is_found_and_no_beginning_of_one)
{
    for (size_t i = 0; i < latex_command_count; i++) {
        const char *name = latex_commands[i].name;
        CHECK(latex_command(name, strlen(name)) == &latex_commands[i]);
    }
    CHECK(!latex_command("alph", 4));
    CHECK(!latex_command("alphabet", 8));
    CHECK(latex_command("alphabet", 5));
}

TEST_PLAIN(accents_are_single_signs)
{
    CHECK_EQ(0x308, latex_accent("\"", 1));
    CHECK_EQ(0x30c, latex_accent("v", 1));
    CHECK_EQ(0, latex_accent("vv", 2));
    CHECK_EQ(0, latex_accent("x", 1));
}
