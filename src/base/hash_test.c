#include "base/hash.h"

#include <stdint.h>
#include <string.h>

#include "base/rand.h"
#include "testing/test.h"

/* Bytes 0, 1, ... 250, 0, 1, ...; what b3sum says of so many of them, and what
 * `b3sum --keyed` says with the key below. */
static const char key[] = "whats the Elvish word for friend";
static const struct { size_t size; const char *plain, *keyed; } vectors[] = {
    { 0, "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262",
      "92b2b75604ed3c761f9d6f62392c8a9227ad0ea3f09573e783f1498a4ed60d26" },
    { 1, "2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213",
      "6d7878dfff2f485635d39013278ae14f1454b8c0a3a2d34bc1ab38228a80c95b" },
    { 64, "4eed7141ea4a5cd4b788606bd23f46e212af9cacebacdc7d1f4c6dc7f2511b98",
      "ba8ced36f327700d213f120b1a207a3b8c04330528586f414d09f2f7d9ccb7e6" },
    { 1023, "10108970eeda3eb932baac1428c7a2163b0e924c9a9e25b35bba72b28f70bd11",
      "c951ecdf03288d0fcc96ee3413563d8a6d3589547f2c2fb36d9786470f1b9d6e" },
    { 1024, "42214739f095a406f3fc83deb889744ac00df831c10daa55189b5d121c855af7",
      "75c46f6f3d9eb4f55ecaaee480db732e6c2105546f1e675003687c31719c7ba4" },
    { 1025, "d00278ae47eb27b34faecf67b4fe263f82d5412916c1ffd97c8cb7fb814b8444",
      "357dc55de0c7e382c900fd6e320acc04146be01db6a8ce7210b7189bd664ea69" },
    { 8193, "bab6c09cb8ce8cf459261398d2e7aef35700bf488116ceb94a36d0f5f1b7bc3b",
      "954a2a75420c8d6547e3ba5b98d963e6fa6491addc8c023189cc519821b4a1f5" },
    { 31744, "62b6960e1a44bcc1eb1a611a8d6235b6b4b78f32e7abc4fb4c6cdcce94895c47",
      "efa53b389ab67c593dba624d898d0f7353ab99e4ac9d42302ee64cbf9939a419" },
    { 102400, "bc3e3d41a1146b069abffad3c0d44860cf664390afce4d9661f7902e7943e085",
      "1c35d1a5811083fd7119f5d5d1ba027b4d01c0c6c49fb6ff2cf75393ea5db4a7" },
};
#define VECTORS (sizeof(vectors) / sizeof(vectors[0]))

static unsigned char bytes[102400];

static void fill(void)
{
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (unsigned char)(i % 251);
}

TEST_PLAIN(hashes_are_those_of_b3sum)
{
    char text[WR_HASH_TEXT];
    fill();
    for (size_t i = 0; i < VECTORS; i++) {
        struct wr_hash hash = wr_hash_of(bytes, vectors[i].size);
        CHECK_STR(vectors[i].plain, wr_hash_print(&hash, text));
        hash = wr_hash_keyed(key, bytes, vectors[i].size);
        CHECK_STR(vectors[i].keyed, wr_hash_print(&hash, text));
    }
}

/* In pieces of random sizes, empty ones and large ones too. */
static struct wr_hash in_pieces(struct wr_rand *rand, size_t size, const void *with_key)
{
    struct wr_hash_state state;
    if (with_key)
        wr_hash_begin_keyed(&state, with_key);
    else
        wr_hash_begin(&state);
    for (size_t at = 0; at < size;) {
        size_t piece = wr_rand_below(rand, wr_rand_below(rand, 4) ? 100 : 5000);
        piece = piece < size - at ? piece : size - at;
        wr_hash_add(&state, bytes + at, piece);
        at += piece;
    }
    return wr_hash_end(&state);
}

TEST_PLAIN(how_it_was_cut_makes_no_difference)
{
    struct wr_rand rand;
    wr_rand_seed(&rand, 1);
    fill();
    for (int round = 0; round < test_rounds(2000); round++) {
        size_t size = wr_rand_below(&rand, round % 20 ? 3000 : sizeof(bytes));
        struct wr_hash want = wr_hash_of(bytes, size), got = in_pieces(&rand, size, NULL);
        REQUIRE(wr_hash_equal(&want, &got));
        want = wr_hash_keyed(key, bytes, size);
        got = in_pieces(&rand, size, key);
        REQUIRE(wr_hash_equal(&want, &got));
    }
}

TEST_PLAIN(every_cut_in_two_is_the_whole)
{
    fill();
    struct wr_hash want = wr_hash_of(bytes, 2100);
    for (size_t cut = 0; cut <= 2100; cut++) {
        struct wr_hash_state state;
        wr_hash_begin(&state);
        wr_hash_add(&state, bytes, cut);
        wr_hash_add(&state, bytes + cut, 2100 - cut);
        struct wr_hash got = wr_hash_end(&state);
        REQUIRE(wr_hash_equal(&want, &got));
    }
}

TEST_PLAIN(after_an_end_more_may_be_added)
{
    struct wr_hash_state state;
    fill();
    wr_hash_begin(&state);
    wr_hash_add(&state, bytes, 64);
    char text[WR_HASH_TEXT];
    struct wr_hash hash = wr_hash_end(&state);
    CHECK_STR(vectors[2].plain, wr_hash_print(&hash, text));
    wr_hash_add(&state, bytes + 64, 1024 - 64);
    hash = wr_hash_end(&state);
    CHECK_STR(vectors[4].plain, wr_hash_print(&hash, text));
}

TEST_PLAIN(any_other_byte_makes_hashes_differ)
{
    struct wr_hash a = { { 0 } };
    for (size_t i = 0; i < WR_HASH_SIZE; i++) {
        struct wr_hash b = a;
        b.bytes[i] ^= 0x80;
        CHECK(!wr_hash_equal(&a, &b));
    }
    CHECK(wr_hash_equal(&a, &(struct wr_hash){ { 0 } }));
}

TEST_PLAIN(a_wiped_state_holds_no_key)
{
    struct wr_hash_state state;
    wr_hash_begin_keyed(&state, key);
    CHECK(memmem(&state, sizeof(state), key, 8) != NULL);
    wr_hash_wipe(&state);
    CHECK(memmem(&state, sizeof(state), key, 8) == NULL);
}

/* ---- content ids ---- */

#define EMPTY "b3:af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"

TEST_PLAIN(a_content_id_is_read_as_it_is_written)
{
    struct wr_hash hash = wr_hash_of("", 0), back;
    char text[WR_CID_TEXT];
    CHECK_STR(EMPTY, wr_hash_print_cid(&hash, text));
    CHECK_OK(wr_hash_parse_cid(&back, text, strlen(text)));
    CHECK(wr_hash_equal(&hash, &back));
    CHECK_OK(wr_hash_parse(&back, text + 3, 64));
    CHECK(wr_hash_equal(&hash, &back));
}

TEST_PLAIN(a_content_id_in_another_form_is_refused)
{
    static const char *const wrong[] = {
        "", "b3:", "b3:af",
        "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262",
        "B3:af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262",
        "b3:AF1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262",
        "b3:af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f326F",
        "b3:af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f326g",
        "b3:af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f32622",
        "b3:af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f326",
        " b3:af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f326",
        "b2:af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct wr_hash hash = { { 7 } };
        CHECK_ERR(WR_INVALID, wr_hash_parse_cid(&hash, wrong[i], strlen(wrong[i])));
        CHECK_EQ(7, hash.bytes[0]);
    }
}
