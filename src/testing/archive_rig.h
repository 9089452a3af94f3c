/* archive_rig.h - a store with one event and two blobs, and a place for its copy. */
#ifndef WR_TESTING_ARCHIVE_RIG_H
#define WR_TESTING_ARCHIVE_RIG_H

#include "store/archive.h"

#include <fcntl.h>
#include <ftw.h>
#include <string.h>

#include <weir/file.h>
#include <weir/scope.h>

#include "base/text.h"
#include "store/audit.h"
#include "store/blob.h"
#include "testing/settle.h"
#include "testing/store_rig.h"

#define SOON wr_after(WR_S(60))

#define RIG __attribute__((unused)) static

static struct store_rig rig;
static char copy[64], cid[WR_CID_TEXT];

RIG int drop(const char *path, const struct stat *info, int type, struct FTW *ftw)
{
    (void)info, (void)type, (void)ftw;
    return remove(path);
}

RIG void note(const char *type)
{
    CHECK_OK(store_audit_add(rig.store, &(struct store_event){ .type = type, .actor = "a" },
                             SOON));
}

/* A store with one event and two blobs. */
RIG void enter(void)
{
    char other[WR_CID_TEXT];
    rig_folder(&rig);
    snprintf(copy, sizeof(copy), "%s/copy", rig.folder);
    CHECK_OK(rig_open(&rig));
    note("first");
    CHECK_OK(store_blob_put(rig.store, "some bytes", 10, cid, SOON));
    CHECK_OK(store_blob_put(rig.store, "others", 6, other, SOON));
}

RIG void leave(void)
{
    rig_shut(&rig);
    CHECK_EQ(0, nftw(rig.folder, drop, 8, FTW_DEPTH | FTW_PHYS));
}

RIG uint64_t events(void)
{
    struct store_events list;
    CHECK_OK(store_audit_list(rig.store, 0, 1000, &list, SOON));
    uint64_t count = list.count;
    store_events_free(&list);
    return count;
}

RIG void make(void)
{
    struct archive_info info;
    struct store_why why = { "" };
    CHECK_OK(archive_make(rig.store, copy, &info, &why, SOON));
    CHECK_STR("", why.text[0] && !info.steps ? why.text : "");
    CHECK_EQ(2, info.blobs);
    CHECK_EQ(16, info.blob_bytes);
    CHECK(info.bytes > 4096);
}

/* How many names there are beside the store that begin like the copy. */
RIG unsigned parts(void)
{
    char *text;
    size_t len;
    unsigned count = 0;
    CHECK_OK(wr_file_list(&text, &len, rig.folder, 10000, SOON));
    for (size_t i = 0; i < len; i += strlen(text + i) + 1)
        count += strncmp(text + i, "copy", 4) == 0;
    free(text);
    return count;
}

#endif
