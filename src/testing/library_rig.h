/* library_rig.h - a small library in a folder of its own, for tests.
 *
 *     struct library_rig rig;
 *     library_rig_open(&rig);
 *     rig_add_title(&rig, "Some title");
 *     rig_finish(&rig);                    rig.lib is open now
 *     library_rig_close(&rig);
 */
#ifndef WR_TESTING_LIBRARY_RIG_H
#define WR_TESTING_LIBRARY_RIG_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "library/library.h"
#include "library/writer.h"
#include "testing/test.h"

struct library_rig {
    char folder[64], path[128];
    struct library_writer *writer;
    struct library *lib;
    struct library_why why;
};

static inline struct library_plan rig_plan(const struct library_rig *rig)
{
    return (struct library_plan){ .out = rig->path, .kind = "jsonl", .name = "Rig",
                                  .input = "the test" };
}

static inline bool rig_write(struct library_rig *rig)
{
    struct library_plan plan = rig_plan(rig);
    return CHECK_OK(library_writer_open(&rig->writer, &plan, &rig->why));
}

static inline void library_rig_open(struct library_rig *rig)
{
    *rig = (struct library_rig){ .folder = "/tmp/weir-library-XXXXXX" };
    CHECK(mkdtemp(rig->folder) != NULL);
    snprintf(rig->path, sizeof(rig->path), "%s/lib", rig->folder);
    rig_write(rig);
}

static inline void rig_add(struct library_rig *rig, const struct bib_record *record)
{
    CHECK_OK(library_writer_add(rig->writer, record));
}

static inline void rig_add_title(struct library_rig *rig, const char *title)
{
    rig_add(rig, &(struct bib_record){ .work = { .title = title } });
}

static inline void rig_finish(struct library_rig *rig)
{
    if (!CHECK_OK(library_writer_finish(rig->writer, &rig->why)))
        printf("# %s\n", rig->why.text);
    library_writer_close(rig->writer);
    rig->writer = NULL;
    if (!CHECK_OK(library_open(&rig->lib, rig->path, &rig->why)))
        printf("# %s\n", rig->why.text);
}

/* Nothing but the library may be left in the folder. */
static inline void library_rig_close(struct library_rig *rig)
{
    library_writer_close(rig->writer);
    library_close(rig->lib);
    unlink(rig->path);
    CHECK_EQ(0, rmdir(rig->folder));
}

#endif
