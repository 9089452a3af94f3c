#include "net/keyring.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <weir/file.h>

#include "testing/test.h"

#define HEX "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define SOON wr_after(WR_S(5))

static char path[64], why[KEYRING_WHY];

static bool enter(void)
{
    static char folder[64];
    snprintf(folder, sizeof(folder), "/tmp/weir-key-XXXXXX");
    snprintf(path, sizeof(path), "%s/key", mkdtemp(folder));
    return CHECK(strlen(path) > 10);
}

static void leave(void)
{
    (void)unlink(path);
    *strrchr(path, '/') = '\0';
    CHECK_EQ(0, rmdir(path));
}

static wr_err load(struct keyring **ret, const char *text)
{
    why[0] = '\0';
    CHECK_OK(wr_file_write_atomic(path, text, strlen(text), 0600, SOON));
    return keyring_load(ret, path, SOON, why);
}

TEST(a_file_of_keys_is_read_in_its_order)
{
    struct keyring *ring = NULL;
    REQUIRE(enter());
    REQUIRE_OK(load(&ring, "# old and new\n\nk2 " HEX "\r\n  k1\t" HEX " "));
    CHECK_EQ(2, ring->count);
    CHECK_STR("k2", ring->keys[0].kid);
    CHECK_STR("k1", ring->keys[1].kid);
    CHECK_EQ(32, wr_secret_size(ring->keys[1].secret));
    CHECK_EQ(0x11, ((const unsigned char *)wr_secret_bytes(ring->keys[0].secret))[1]);
    keyring_free(ring);
    leave();
}

TEST(a_file_that_others_can_read_is_refused_with_what_to_do)
{
    struct keyring *ring = NULL;
    char want[300];
    REQUIRE(enter());
    CHECK_OK(load(&ring, "k " HEX));
    keyring_free(ring);
    static const unsigned open_modes[] = { 0640, 0604, 0620, 0602, 0610, 0601 };
    for (size_t i = 0; i < sizeof(open_modes) / sizeof(open_modes[0]); i++) {
        CHECK_EQ(0, chmod(path, open_modes[i]));
        CHECK_ERR(WR_DENIED, keyring_load(&ring, path, SOON, why));
        snprintf(want, sizeof(want), "the key file %s has mode %04o, so others can get at it; "
                 "run: chmod 600 %s", path, open_modes[i], path);
        CHECK_STR(want, why);
    }
    leave();
}

TEST(a_file_that_is_not_there_is_said_with_what_to_do)
{
    struct keyring *ring = NULL;
    char want[300];
    REQUIRE(enter());
    CHECK_ERR(WR_NOTFOUND, keyring_load(&ring, path, SOON, why));
    snprintf(want, sizeof(want), "there is no key file %s; make one with: weir token mint "
             "--new-key --scope node.read --key %s", path, path);
    CHECK_STR(want, why);
    leave();
}

TEST(a_line_that_is_no_key_is_refused_by_its_number)
{
    static const char *const wrong[] = {
        "k", "k zz", "k " HEX "00", "k " HEX " more", "k 00112233", "k " HEX "\nk " HEX,
        "\x01" "k " HEX,
    };
    struct keyring *ring = NULL;
    REQUIRE(enter());
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        CHECK_ERR(WR_INVALID, load(&ring, wrong[i]));
        CHECK(strstr(why, i == 5 ? ", line 2: it must be" : ", line 1: it must be") != NULL);
        CHECK(strstr(why, "0011") == NULL);
    }
    CHECK_ERR(WR_INVALID, load(&ring, "# none\n"));
    CHECK(strstr(why, "has no key") != NULL);
    leave();
}

TEST(there_are_at_most_sixteen_keys)
{
    struct keyring *ring = NULL;
    char text[KEYRING_MAX * 80 + 100] = "";
    REQUIRE(enter());
    for (int i = 0; i < KEYRING_MAX; i++)
        snprintf(text + strlen(text), 80, "k%d " HEX "\n", i);
    REQUIRE_OK(load(&ring, text));
    CHECK_EQ(KEYRING_MAX, ring->count);
    keyring_free(ring);
    snprintf(text + strlen(text), 80, "more " HEX "\n");
    CHECK_ERR(WR_INVALID, load(&ring, text));
    leave();
}

TEST(a_new_file_is_its_owners_alone_and_never_replaces_one)
{
    struct keyring *a = NULL, *b = NULL;
    struct wr_file_info info;
    REQUIRE(enter());
    REQUIRE_OK(keyring_make(path, NULL, SOON, why));
    CHECK_OK(wr_file_look(&info, path, SOON));
    CHECK_EQ(0600, info.mode);
    REQUIRE_OK(keyring_load(&a, path, SOON, why));
    CHECK_EQ(10, strlen(a->keys[0].kid));
    CHECK_ERR(WR_EXISTS, keyring_make(path, NULL, SOON, why));
    CHECK_EQ(0, unlink(path));
    REQUIRE_OK(keyring_make(path, "mine", SOON, why));
    REQUIRE_OK(keyring_load(&b, path, SOON, why));
    CHECK_STR("mine", b->keys[0].kid);
    CHECK(!wr_secret_equal(a->keys[0].secret, wr_secret_bytes(b->keys[0].secret), 32));
    CHECK_ERR(WR_INVALID, keyring_make("/x", "two words", SOON, why));
    keyring_free(a);
    keyring_free(b);
    leave();
}
