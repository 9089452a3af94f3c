#include "store/blob.h"

#include <string.h>

#include <weir/file.h>

#include "testing/store_rig.h"

#define SOON wr_after(WR_S(5))

static const char text[] = "a low dam that keeps a river usable";

/* Remove what a test has put, so that its folders can go. */
static void clear(struct store *store, const char *cid)
{
    CHECK_OK(store_blob_remove(store, cid, SOON));
}

STORE_TEST(what_was_put_is_got_under_its_hash)
{
    char cid[WR_CID_TEXT], want[WR_CID_TEXT];
    char *bytes = NULL;
    size_t len = 0;
    struct wr_hash hash = wr_hash_of(text, strlen(text));
    CHECK_OK(store_blob_put(store, text, strlen(text), cid, SOON));
    CHECK_STR(wr_hash_print_cid(&hash, want), cid);
    CHECK_OK(store_blob_put(store, text, strlen(text), cid, SOON));     /* once more */
    CHECK_OK(store_blob_get(store, cid, &bytes, &len, SOON));
    CHECK_EQ(strlen(text), len);
    CHECK_STR(text, bytes);
    free(bytes);
    clear(store, cid);
    CHECK_ERR(WR_NOTFOUND, store_blob_get(store, cid, &bytes, &len, SOON));
    CHECK_ERR(WR_NOTFOUND, store_blob_remove(store, cid, SOON));
}

STORE_TEST(no_bytes_are_a_blob_too)
{
    char cid[WR_CID_TEXT];
    char *bytes = NULL;
    size_t len = 1;
    CHECK_OK(store_blob_put(store, "", 0, cid, SOON));
    CHECK_OK(store_blob_get(store, cid, &bytes, &len, SOON));
    CHECK_EQ(0, len);
    free(bytes);
    clear(store, cid);
}

STORE_TEST(what_is_no_content_id_is_refused)
{
    char *bytes;
    size_t len;
    CHECK_ERR(WR_INVALID, store_blob_get(store, "../../etc/passwd", &bytes, &len, SOON));
    CHECK_ERR(WR_INVALID, store_blob_remove(store, "b3:00", SOON));
}

STORE_TEST(a_blob_has_a_largest_size)
{
    char cid[WR_CID_TEXT];
    char *bytes = calloc(1, STORE_BLOB_MAX + 1), *got = NULL;
    size_t len = 0;
    WR_ASSERT(bytes);
    CHECK_ERR(WR_INVALID, store_blob_put(store, bytes, STORE_BLOB_MAX + 1, cid, SOON));
    CHECK_OK(store_blob_put(store, bytes, STORE_BLOB_MAX, cid, SOON));
    CHECK_OK(store_blob_get(store, cid, &got, &len, SOON));
    CHECK_EQ(STORE_BLOB_MAX, len);
    free(got);
    free(bytes);
    clear(store, cid);
}

TEST(a_blob_that_was_damaged_is_found_out_and_can_be_put_again)
{
    struct store_rig rig;
    char cid[WR_CID_TEXT], path[200];
    char *bytes = NULL;
    size_t len;
    rig_folder(&rig);
    CHECK_OK(rig_open(&rig));
    CHECK_OK(store_blob_put(rig.store, text, strlen(text), cid, SOON));
    snprintf(path, sizeof(path), "%s-blobs/%.2s/%s", rig.path, cid + 3, cid + 5);
    CHECK_OK(wr_file_write_atomic(path, "another text", 12, 0600, SOON));
    CHECK_ERR(WR_QUARANTINE, store_blob_get(rig.store, cid, &bytes, &len, SOON));
    CHECK(!bytes);
    CHECK_OK(store_blob_put(rig.store, text, strlen(text), cid, SOON));
    CHECK_OK(store_blob_get(rig.store, cid, &bytes, &len, SOON));
    free(bytes);
    clear(rig.store, cid);
    rig_shut(&rig);
    rig_remove(&rig);
}
