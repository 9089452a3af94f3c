/* unpack_test.c - archives, and what they may not do. */
#include "extract/unpack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "extract/refusal.h"
#include "testing/pack_rig.h"
#include "testing/test.h"

static struct extract_pack pack;
static char why[EXTRACT_WHY];

static bool wanted(const char *name)
{
    return !strstr(name, "unwanted");
}

static wr_err unpack(size_t size)
{
    extract_unpack_free(&pack);
    return extract_unpack(rig_packed, size, wanted, &pack, why);
}

static bool has(const char *name, const char *text)
{
    for (size_t i = 0; i < pack.count; i++)
        if (strcmp(pack.at[i].name, name) == 0)
            return pack.at[i].len == strlen(text) && strcmp(pack.at[i].bytes, text) == 0;
    return false;
}

static const struct rig_file some[] = {
    { "a.bib", "one", 3 }, { "sub/", "", 0 }, { "sub/b.tex", "two", 3 }, { "unwanted", "x", 1 },
};

TEST_PLAIN(files_of_a_zip_and_of_a_tar_are_taken)
{
    CHECK_OK(unpack(rig_pack("zip", some, 4)));
    CHECK(pack.count == 2 && has("a.bib", "one") && has("sub/b.tex", "two"));
    CHECK_OK(unpack(rig_pack("tar.gz", some, 4)));
    CHECK(pack.count == 2 && has("a.bib", "one") && has("sub/b.tex", "two"));
    extract_unpack_free(&pack);
}

TEST_PLAIN(a_file_that_is_only_compressed_has_no_name)
{
    CHECK_OK(unpack(rig_pack("gz", some, 1)));
    CHECK(pack.count == 1 && has("", "one"));
    extract_unpack_free(&pack);
}

TEST_PLAIN(what_is_hidden_or_leads_out_is_passed_over)
{
    static const struct rig_file odd[] = {
        { "../up.bib", "x", 1 }, { "/root.bib", "x", 1 }, { "a/../../b.bib", "x", 1 },
        { ".hidden.bib", "x", 1 }, { "a/.git/c.bib", "x", 1 }, { "__MACOSX/d.bib", "x", 1 },
        { "./good.bib", "y", 1 },
    };
    CHECK_OK(unpack(rig_pack("tar.gz", odd, 7)));
    CHECK_EQ(1, pack.count);
    CHECK(has("./good.bib", "y"));
    extract_unpack_free(&pack);
}

TEST_PLAIN(an_encrypted_archive_is_refused)
{
    CHECK_ERR(WR_DENIED, unpack(rig_pack("zip-encrypted", some, 1)));
    CHECK_STR("the archive is not read: it is encrypted: unpack it first", why);
    CHECK_EQ(0, pack.count);
}

TEST_PLAIN(a_small_archive_cannot_become_a_large_one)
{
    static char same[60 << 20];
    size_t size = sizeof(same);
    memset(same, 'x', size);
    CHECK_ERR(WR_DENIED, unpack(rig_pack("zip", &(struct rig_file){ "a", same, size }, 1)));
    CHECK_STR("the archive is not read: what is in it is too large when unpacked", why);
    CHECK_ERR(WR_DENIED, unpack(rig_pack("gz", &(struct rig_file){ "a", same, size }, 1)));
    CHECK_OK(unpack(rig_pack("zip", &(struct rig_file){ "a", same, 1 << 20 }, 1)));
    CHECK(pack.count == 1 && pack.at[0].len == 1 << 20);
    extract_unpack_free(&pack);
}

TEST_PLAIN(there_is_an_end_to_files)
{
    static struct rig_file many[EXTRACT_PACK_FILES_MAX + 1];
    static char names[EXTRACT_PACK_FILES_MAX + 1][16];
    for (size_t i = 0; i <= EXTRACT_PACK_FILES_MAX; i++) {
        snprintf(names[i], sizeof(names[i]), "%zu", i);
        many[i] = (struct rig_file){ names[i], "x", 1 };
    }
    CHECK_OK(unpack(rig_pack("zip", many, EXTRACT_PACK_FILES_MAX)));
    CHECK_EQ(EXTRACT_PACK_FILES_MAX, pack.count);
    CHECK_ERR(WR_DENIED, unpack(rig_pack("zip", many, EXTRACT_PACK_FILES_MAX + 1)));
    CHECK_STR("the archive is not read: there are too many files in it", why);
}

TEST_PLAIN(a_damaged_archive_is_refused)
{
    size_t size = rig_pack("tar.gz", some, 4);
    rig_packed[size / 2] ^= 0x55;
    CHECK_ERR(WR_INVALID, unpack(size));
    size = rig_pack("zip", some, 4);
    CHECK_ERR(WR_INVALID, unpack(size / 4));
    CHECK(strncmp(why, "the archive is not read: ", 25) == 0);
}
