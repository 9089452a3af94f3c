#include "svc/queue/doi_address.h"

#include <stdio.h>
#include <string.h>

#include "testing/test.h"

static char doi[DOI_MAX + 1], url[ADDRESS_MAX + 1];

static const char *resolved(const char *address)
{
    const char *found = doi_of_resolver(address, doi);
    return found ? found : "none";
}

static const char *found_in(const char *address)
{
    const char *found = doi_in_address(address, doi);
    return found ? found : "none";
}

static const char *address_of(const char *name)
{
    CHECK_OK(doi_address(url, name));
    return url;
}

TEST_PLAIN(an_address_of_doi_org_stands_for_a_doi)
{
    CHECK_STR("10.1000/182", resolved("https://doi.org/10.1000/182"));
    CHECK_STR("10.1000/182", resolved("http://dx.doi.org/10.1000/182?x=1"));
    CHECK_STR("10.1000/182", resolved("http://www.DOI.org/doi:10.1000/182#abstract"));
    CHECK_STR("10.1002/(sici)1<1::aid>3",
              resolved("https://doi.org/10.1002/(SICI)1%3C1::AID%3e3"));
    CHECK_STR("10.1000/182", resolved("https://doi.org/10.1000%2F182"));
}

TEST_PLAIN(other_addresses_of_doi_org_stand_for_none)
{
    CHECK_STR("none", resolved("https://doi.org/"));
    CHECK_STR("none", resolved("https://doi.org/10.1234"));
    CHECK_STR("none", resolved("https://doi.org/10.1234/"));
    CHECK_STR("none", resolved("https://doi.org/10.1000/a%20b"));
    CHECK_STR("none", resolved("https://doi.org/10.1000/a%ffb"));
    CHECK_STR("none", resolved("https://doi.org.example/10.1000/182"));
    CHECK_STR("none", resolved("https://a.example/10.1000/182"));
}

TEST_PLAIN(publishers_have_dois_in_their_addresses)
{
    CHECK_STR("10.1000/182", found_in("https://a.example/doi/full/10.1000/182?via=b"));
    CHECK_STR("10.1000/182", found_in("https://a.example/doi/10.1000/182/abstract"));
    CHECK_STR("10.1000/182", found_in("https://a.example/x?doi=10.1000/182&y=1"));
    CHECK_STR("10.1000/182", found_in("https://a.example/x?doi=10.1000%2f182"));
    CHECK_STR("10.1000/a.b", found_in("https://a.example/doi/pdf/10.1000/A.b.pdf"));
    CHECK_STR("10.1000/182", found_in("https://doi.org/10.1000%2F182"));
    CHECK_STR("none", found_in("https://a.example/10.12/a"));
    CHECK_STR("none", found_in("https://a.example/v10.1000/182"));
    CHECK_STR("none", found_in("https://a.example/doi/10.1234/"));
    CHECK_STR("none", found_in("https://a.example/"));
}

TEST_PLAIN(a_doi_has_one_address)
{
    CHECK_STR("https://doi.org/10.1000/182", address_of("10.1000/182"));
    CHECK_STR("https://doi.org/10.1002/(sici)1%3C1::aid%3E3.0%23co;2%3F%25",
              address_of("10.1002/(SICI)1<1::AID>3.0#CO;2?%"));
    CHECK_STR("10.1002/(sici)1<1::aid>3.0#co;2?%", resolved(url));
    CHECK_STR("https://doi.org/10.1000/a%22b%5Cc", address_of("10.1000/a\"b\\c"));
}

TEST_PLAIN(one_that_is_too_long_is_none)
{
    char name[DOI_MAX + 2];
    snprintf(name, sizeof(name), "10.1000/%0*d", DOI_MAX - 8, 0);
    CHECK(doi_is(name));
    snprintf(name, sizeof(name), "10.1000/%0*d", DOI_MAX - 7, 0);
    CHECK(!doi_is(name));
    memset(name, '<', DOI_MAX);
    name[DOI_MAX] = '\0';
    CHECK_ERR(WR_INVALID, doi_address(url, name));
}
