/* fetch_plain_test.c - the contract of the client over real sockets, without libcurl;
 * time is virtual, so deadlines are exact. */
#include "testing/test.h"

#define CONTRACT(name) TEST(name)
#define PLAIN true
#define SLACK 0
#include "testing/fetch_contract.h"

TEST(https_is_refused_where_nothing_encrypts)
{
    struct wr_fetch_client *client = client_with((struct wr_fetch_conf){ 0 });
    CHECK_STR("Unsupported: https://127.0.0.1/: a plain client has no https",
              get(client, "https://127.0.0.1/"));
    wr_fetch_client_close(client, WR_NOW);
}

TEST_PANICS(a_client_needs_a_name, "a fetch client needs a name")
{
    struct wr_fetch_client *client;
    (void)!wr_fetch_client_new(&client, &(struct wr_fetch_conf){ 0 });
}
