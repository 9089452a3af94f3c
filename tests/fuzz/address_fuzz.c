/* address_fuzz.c - any bytes as the address of a page: one that is read as itself, or a reason.
 *
 * What comes out is in characters that an address may have, without fragment, and is the same
 * when it is read again, and to who fetches it.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <weir/panic.h>

#include "crawl/address.h"
#include "net/fetch_url.h"

static void check(const char *url)
{
    char again[ADDRESS_MAX + 1];
    const char *why;
    struct fetch_url parsed;
    for (const char *at = url; *at; at++)
        WR_ASSERT(*at > ' ' && *at < 0x7f && *at != '#');
    WR_ASSERT(!address_read(again, url, &why) && strcmp(url, again) == 0);
    WR_ASSERT(!fetch_url_parse(&parsed, url, NULL, &why) && strcmp(url, parsed.text) == 0);
    fetch_url_free(&parsed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char url[ADDRESS_MAX + 1], *text = malloc(size + 1);
    const char *why = "";
    memcpy(text, data, size);
    text[size] = '\0';
    wr_err err = address_read(url, text, &why);
    if (err)
        WR_ASSERT(err == WR_INVALID && *why);
    else
        check(url);
    free(text);
    return 0;
}
