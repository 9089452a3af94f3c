/* pack_rig.h - archives made in memory, for tests.
 *
 *     size_t size = rig_pack("zip", (struct rig_file[]){ { "a.txt", "text", 4 } }, 1);
 *     ... rig_packed
 */
#ifndef WR_TESTING_PACK_RIG_H
#define WR_TESTING_PACK_RIG_H

#include <archive.h>
#include <archive_entry.h>
#include <stddef.h>
#include <string.h>

struct rig_file { const char *name; const void *bytes; size_t len; };

static char rig_packed[(size_t)4 << 20];

/* "zip", "zip-encrypted", "tar.gz", or "gz" of one file; returns its size. */
static inline size_t rig_pack(const char *kind, const struct rig_file *files, size_t count)
{
    size_t used = 0;
    struct archive *archive = archive_write_new();
    if (strncmp(kind, "zip", 3) == 0) {
        archive_write_set_format_zip(archive);
    } else {
        archive_write_add_filter_gzip(archive);
        if (strcmp(kind, "gz") == 0)
            archive_write_set_format_raw(archive);
        else
            archive_write_set_format_ustar(archive);
    }
    if (strcmp(kind, "zip-encrypted") == 0) {
        archive_write_set_options(archive, "zip:encryption=zipcrypt");
        archive_write_set_passphrase(archive, "secret");
    }
    archive_write_open_memory(archive, rig_packed, sizeof(rig_packed), &used);
    for (size_t i = 0; i < count; i++) {
        struct archive_entry *entry = archive_entry_new();
        bool folder = files[i].name[strlen(files[i].name) - 1] == '/';
        archive_entry_set_pathname(entry, files[i].name);
        archive_entry_set_size(entry, (la_int64_t)files[i].len);
        archive_entry_set_filetype(entry, folder ? AE_IFDIR : AE_IFREG);
        archive_entry_set_perm(entry, 0644);
        archive_write_header(archive, entry);
        archive_write_data(archive, files[i].bytes, files[i].len);
        archive_entry_free(entry);
    }
    archive_write_close(archive);
    archive_write_free(archive);
    return used;
}

#endif
