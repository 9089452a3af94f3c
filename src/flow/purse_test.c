#include "flow/purse.h"

#include "testing/test.h"

TEST_PLAIN(every_fifth_payment_of_a_fifth_can_be_spent)
{
    struct purse purse;
    int spent = 0;
    purse_init(&purse, 200, 100, 0);
    for (int i = 0; i < 1000; i++) {
        purse_pay(&purse);
        spent += purse_spend(&purse);
    }
    CHECK_EQ(200, spent);
}

TEST_PLAIN(no_more_is_saved_up_than_may_be)
{
    struct purse purse;
    int spent = 0;
    purse_init(&purse, 1000, 10, 3);
    for (int i = 0; i < 100; i++)
        purse_pay(&purse);
    while (purse_spend(&purse))
        spent++;
    CHECK_EQ(10, spent);
}

TEST_PLAIN(what_is_there_at_first_can_be_spent_before_anybody_pays)
{
    struct purse purse;
    purse_init(&purse, 1, 10, 2);
    CHECK(purse_spend(&purse) && purse_spend(&purse) && !purse_spend(&purse));
}
