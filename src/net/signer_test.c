#include "net/signer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <weir/file.h>
#include <weir/scope.h>
#include <weir/task.h>

#include "base/secret.h"
#include "testing/test.h"

/* The first test vector of RFC 8032, 7.1; made again apart from this code, by a few lines of
 * script with whole numbers. */
#define PRIVATE "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"
#define PUBLIC "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
#define OF_NOTHING \
    "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155" \
    "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"

#define SOON wr_after(WR_S(5))

static char path[64], why[SIGNER_WHY];

static bool enter(void)
{
    static char folder[64];
    snprintf(folder, sizeof(folder), "/tmp/weir-signer-XXXXXX");
    snprintf(path, sizeof(path), "%s/node.key", mkdtemp(folder));
    return CHECK(strlen(path) > 20);
}

static void leave(void)
{
    (void)unlink(path);
    *strrchr(path, '/') = '\0';
    CHECK_EQ(0, rmdir(path));
}

static wr_err with(struct signer **ret, const char *text)
{
    why[0] = '\0';
    CHECK_OK(wr_file_write_atomic(path, text, strlen(text), 0600, SOON));
    return signer_open(ret, path, SOON, why);
}

static struct signer *fresh(void)
{
    struct signer *signer = NULL;
    CHECK_OK(signer_open(&signer, NULL, SOON, why));
    return signer;
}

static const char *hex(const unsigned char *bytes, size_t len)
{
    static char text[2 * SIGNATURE + 1];
    for (size_t i = 0; i < len; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    return text;
}

/* ---- the key ---- */

TEST(a_key_signs_as_the_standard_says)
{
    struct signer *signer = NULL;
    unsigned char signature[SIGNATURE];
    REQUIRE(enter());
    REQUIRE_OK(with(&signer, PRIVATE "\n"));
    CHECK_STR(PUBLIC, hex(signer_id(signer), SIGNER_ID));
    signer_sign(signer, "", 0, signature);
    CHECK_STR(OF_NOTHING, hex(signature, SIGNATURE));
    CHECK_OK(signature_check(signer_id(signer), "", 0, signature));
    signer_close(signer);
    leave();
}

TEST(a_key_that_is_not_there_is_made_for_its_owner_alone_and_kept)
{
    struct signer *signer = NULL, *again = NULL;
    struct wr_file_info info;
    REQUIRE(enter());
    REQUIRE_OK(signer_open(&signer, path, SOON, why));
    CHECK_OK(wr_file_look(&info, path, SOON));
    CHECK_EQ(0600, info.mode);
    CHECK_EQ(65, info.size);
    REQUIRE_OK(signer_open(&again, path, SOON, why));
    CHECK(memcmp(signer_id(signer), signer_id(again), SIGNER_ID) == 0);
    signer_close(signer);
    signer_close(again);
    leave();
}

TEST(a_key_without_a_path_is_written_nowhere_and_never_the_same)
{
    uint64_t writes = wr_file_writes().done;
    struct signer *a = fresh(), *b = fresh();
    REQUIRE(a && b);
    CHECK(memcmp(signer_id(a), signer_id(b), SIGNER_ID) != 0);
    CHECK_EQ(writes, wr_file_writes().done);
    signer_close(a);
    signer_close(b);
    signer_close(NULL);
}

TEST(a_key_that_others_can_read_is_refused_with_what_to_do)
{
    struct signer *signer = NULL;
    REQUIRE(enter());
    CHECK_OK(wr_file_write_atomic(path, PRIVATE, 64, 0600, SOON));
    CHECK_EQ(0, chmod(path, 0640));
    CHECK_ERR(WR_DENIED, signer_open(&signer, path, SOON, why));
    CHECK(strstr(why, "has mode 0640") && strstr(why, "chmod 600 ") && strstr(why, path));
    CHECK(signer == NULL);
    leave();
}

TEST(what_is_no_key_is_refused_and_stays_as_it_is)
{
    static const char *const wrong[] = {
        "", "\n", "9d61", PRIVATE "00", PRIVATE " 0", ("x" PRIVATE),
        "9D61B19DEFFD5A60BA844AF492EC2CC44449C5697B326919703BAC031CAE7F60",
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f6g",
    };
    struct signer *signer = NULL;
    struct wr_file_info info;
    char large[300];
    REQUIRE(enter());
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        CHECK_ERR(WR_INVALID, with(&signer, wrong[i]));
        CHECK(strstr(why, "64 hex digits") && strstr(why, path) && !strstr(why, "9d61"));
        CHECK_OK(wr_file_look(&info, path, SOON));
        CHECK_EQ(strlen(wrong[i]), info.size);
    }
    memset(large, ' ', sizeof(large) - 1);
    large[sizeof(large) - 1] = '\0';
    CHECK_ERR(WR_INVALID, with(&signer, large));
    CHECK_EQ(0, unlink(path));
    CHECK_EQ(0, mkdir(path, 0700));
    CHECK_ERR(WR_INVALID, signer_open(&signer, path, SOON, why));
    CHECK_EQ(0, rmdir(path));
    leave();
}

TEST(a_zero_byte_in_the_file_is_no_end_of_it)
{
    struct signer *signer = NULL;
    REQUIRE(enter());
    CHECK_OK(wr_file_write_atomic(path, PRIVATE "\n\0x", 67, 0600, SOON));
    CHECK_ERR(WR_INVALID, signer_open(&signer, path, SOON, why));
    CHECK_OK(wr_file_write_atomic(path, "\0" PRIVATE, 65, 0600, SOON));
    CHECK_ERR(WR_INVALID, signer_open(&signer, path, SOON, why));
    leave();
}

TEST(a_key_that_cannot_be_kept_is_not_made)
{
    struct signer *signer = NULL;
    CHECK_ERR(WR_NOTFOUND, signer_open(&signer, "/tmp/weir-no-such-folder/k", SOON, why));
    CHECK(strstr(why, "/tmp/weir-no-such-folder/k") && strstr(why, "make its folder first"));
    CHECK(signer == NULL);
}

/* ---- its secret ---- */

static size_t taken, given, dirty;

static void *take(size_t size)
{
    taken++;
    return malloc(size);
}

static void give(void *block, size_t size)
{
    static const unsigned char begin[] = { 0x9d, 0x61, 0xb1, 0x9d, 0xef, 0xfd };
    given++;
    dirty += memmem(block, size, begin, sizeof(begin)) != NULL;
    free(block);
}

TEST(the_private_half_is_a_secret_that_ends_wiped)
{
    const struct wr_secret_heap *before = wr_secret_heap;
    struct signer *signer = NULL;
    REQUIRE(enter());
    taken = given = dirty = 0;
    wr_secret_heap = &(const struct wr_secret_heap){ take, give };
    CHECK_OK(with(&signer, PRIVATE));
    wr_secret_heap = before;
    CHECK_EQ(1, taken);
    CHECK_EQ(1, given);
    CHECK_EQ(0, dirty);
    signer_close(signer);
    leave();
}

/* ---- ids ---- */

TEST_PLAIN(an_id_is_written_and_read_in_one_way)
{
    unsigned char id[SIGNER_ID] = { 0 };
    char text[SIGNER_ID_TEXT];
    CHECK_OK(signer_id_read(id, PUBLIC));
    CHECK_EQ(0xd7, id[0]);
    CHECK_EQ(0x1a, id[31]);
    signer_id_print(id, text);
    CHECK_STR(PUBLIC, text);
    CHECK_ERR(WR_INVALID, signer_id_read(id, "D75a980182b10ab7"));
    CHECK_ERR(WR_INVALID, signer_id_read(id, PUBLIC "0"));
    CHECK_ERR(WR_INVALID, signer_id_read(id, ""));
    CHECK_EQ(0xd7, id[0]);
}

/* ---- signatures ---- */

TEST(any_bit_of_id_bytes_or_signature_that_differs_is_found)
{
    struct signer *signer = fresh();
    unsigned char bytes[40] = "what was said", signature[SIGNATURE], id[SIGNER_ID];
    REQUIRE(signer);
    memcpy(id, signer_id(signer), SIGNER_ID);
    signer_sign(signer, bytes, sizeof(bytes), signature);
    CHECK_OK(signature_check(id, bytes, sizeof(bytes), signature));
    CHECK_ERR(WR_QUARANTINE, signature_check(id, bytes, sizeof(bytes) - 1, signature));
    struct { unsigned char *at; size_t size; } parts[] = {
        { bytes, sizeof(bytes) }, { signature, SIGNATURE }, { id, SIGNER_ID },
    };
    for (size_t part = 0; part < 3; part++)
        for (size_t bit = 0; bit < 8 * parts[part].size; bit += part == 0 ? 41 : 7) {
            parts[part].at[bit / 8] ^= (unsigned char)(1 << bit % 8);
            CHECK_ERR(WR_QUARANTINE, signature_check(id, bytes, sizeof(bytes), signature));
            parts[part].at[bit / 8] ^= (unsigned char)(1 << bit % 8);
        }
    CHECK_OK(signature_check(id, bytes, sizeof(bytes), signature));
    signer_close(signer);
}

TEST(a_signature_is_of_one_signer)
{
    struct signer *a = fresh(), *b = fresh();
    unsigned char signature[SIGNATURE];
    REQUIRE(a && b);
    signer_sign(a, "x", 1, signature);
    CHECK_OK(signature_check(signer_id(a), "x", 1, signature));
    CHECK_ERR(WR_QUARANTINE, signature_check(signer_id(b), "x", 1, signature));
    signer_close(a);
    signer_close(b);
}

/* The order of the group, added to the second half: the same signature in another way. */
TEST(a_signature_has_one_form)
{
    static const unsigned char order[32] = {
        0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7,
        0xa2, 0xde, 0xf9, 0xde, 0x14, [31] = 0x10,
    };
    struct signer *signer = fresh();
    unsigned char signature[SIGNATURE];
    unsigned carry = 0;
    REQUIRE(signer);
    signer_sign(signer, "x", 1, signature);
    for (size_t i = 0; i < 32; i++, carry >>= 8) {
        carry += (unsigned)signature[32 + i] + order[i];
        signature[32 + i] = (unsigned char)carry;
    }
    CHECK_ERR(WR_QUARANTINE, signature_check(signer_id(signer), "x", 1, signature));
    signer_close(signer);
}

#define SMALL_A "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"
#define SMALL_B "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"

/* The neutral point as id and in the signature, and no number: that holds of any message. */
TEST_PLAIN(an_id_for_which_anybody_can_sign_is_nobodys)
{
    static const unsigned char small[] = { 0, 1, 0xec, 0xed, 0xee };
    unsigned char id[SIGNER_ID], signature[SIGNATURE] = { 1 };
    for (size_t i = 0; i < sizeof(small) / sizeof(small[0]); i++)
        for (unsigned sign = 0; sign <= 0x80; sign += 0x80)
            for (unsigned char message = 0; message < 32; message++) {
                memset(id, small[i] < 2 ? 0 : 0xff, sizeof(id));
                id[0] = small[i];
                id[31] = (unsigned char)((small[i] < 2 ? 0 : 0x7f) | sign);
                CHECK_ERR(WR_QUARANTINE, signature_check(id, &message, 1, signature));
            }
    for (unsigned char message = 0; message < 64; message++) {
        CHECK_OK(signer_id_read(id, SMALL_A));
        CHECK_ERR(WR_QUARANTINE, signature_check(id, &message, 1, signature));
        id[31] ^= 0x80;
        CHECK_ERR(WR_QUARANTINE, signature_check(id, &message, 1, signature));
        CHECK_OK(signer_id_read(id, SMALL_B));
        CHECK_ERR(WR_QUARANTINE, signature_check(id, &message, 1, signature));
        id[31] ^= 0x80;
        CHECK_ERR(WR_QUARANTINE, signature_check(id, &message, 1, signature));
    }
}

TEST_PLAIN(an_id_that_is_no_point_is_nobodys)
{
    unsigned char id[SIGNER_ID] = { 2 }, signature[SIGNATURE] = { 0 };
    CHECK_ERR(WR_QUARANTINE, signature_check(id, "", 0, signature));
}

static wr_err sign_some(void *arg)
{
    struct signer *signer = arg;
    unsigned char signature[SIGNATURE];
    for (int i = 0; i < 10; i++) {
        signer_sign(signer, &i, sizeof(i), signature);
        CHECK_OK(signature_check(signer_id(signer), &i, sizeof(i), signature));
        CHECK_OK(wr_yield());
    }
    return WR_OK;
}

TEST(many_fibers_sign_with_one_key)
{
    struct signer *signer = fresh();
    struct wr_scope *scope = NULL;
    REQUIRE(signer);
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){
        .name = "test", .deadline = WR_NEVER }));
    for (int i = 0; i < 8; i++)
        CHECK_OK(wr_scope_go(scope, "test.sign", sign_some, signer));
    CHECK_OK(wr_scope_join(scope, SOON));
    CHECK_OK(wr_scope_close(scope));
    signer_close(signer);
}
