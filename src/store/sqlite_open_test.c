#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <weir/file.h>

#include "store/schema.h"
#include "store/verb.h"
#include "testing/store_rig.h"

/* Change the file behind the store's back. */
static void meddle(struct store_rig *rig, const char *sql)
{
    sqlite3 *db;
    CHECK_EQ(SQLITE_OK, sqlite3_open(rig->path, &db));
    CHECK_EQ(SQLITE_OK, sqlite3_exec(db, sql, NULL, NULL, NULL));
    sqlite3_close(db);
}

static wr_err try_open(struct store_rig *rig)
{
    return store_open(&rig->store, &(struct store_conf){ .url = rig->url }, &rig->why,
                      wr_after(WR_S(30)));
}

TEST(a_store_opens_again_with_what_it_had)
{
    static const struct store_verb put = {
        .name = "test.put", .writes = true,
        .sqlite = { "insert into probe (id, at) values (9, 9)" } };
    struct store_rig rig;
    rig_folder(&rig);
    CHECK_OK(rig_open(&rig));
    CHECK_OK(store_do(rig.store, &put, (struct store_values){ 0 }, NULL, WR_NEVER));
    rig_shut(&rig);
    CHECK_OK(rig_open(&rig));
    CHECK_ERR(WR_EXISTS, store_do(rig.store, &put, (struct store_values){ 0 }, NULL, WR_NEVER));
    rig_shut(&rig);
    rig_remove(&rig);
}

TEST(a_file_of_a_newer_program_is_refused_with_both_steps)
{
    struct store_rig rig;
    char sql[64], steps[32];
    rig_folder(&rig);
    CHECK_OK(rig_open(&rig));
    rig_shut(&rig);
    snprintf(sql, sizeof(sql), "pragma user_version = %zu", store_step_count + 1);
    snprintf(steps, sizeof(steps), "step %zu,", store_step_count + 1);
    meddle(&rig, sql);
    CHECK_ERR(WR_INVALID, try_open(&rig));
    CHECK(strstr(rig.why.text, "newer program"));
    CHECK(strstr(rig.why.text, steps));
    rig_remove(&rig);
}

TEST(a_database_of_another_program_is_refused)
{
    struct store_rig rig;
    rig_folder(&rig);
    meddle(&rig, "create table theirs (x)");
    CHECK_ERR(WR_INVALID, try_open(&rig));
    CHECK(strstr(rig.why.text, "another program"));
    rig_remove(&rig);
}

TEST(a_file_that_is_no_database_is_refused_and_left_alone)
{
    struct store_rig rig;
    char *text;
    size_t len;
    rig_folder(&rig);
    CHECK_OK(wr_file_write_atomic(rig.path, "a letter to a friend, and more of it", 36, 0600,
                                  WR_NEVER));
    CHECK_ERR(WR_IO, try_open(&rig));
    CHECK(strstr(rig.why.text, "not a database"));
    CHECK_OK(wr_file_read(&text, &len, rig.path, 100, WR_NEVER));
    CHECK_EQ(36, len);
    free(text);
    rig_remove(&rig);
}

TEST(a_folder_that_is_not_there_is_named)
{
    struct store_rig rig = { .url = "sqlite:/tmp/weir-no-such-folder/weir.db" };
    CHECK_ERR(WR_NOTFOUND, try_open(&rig));
    CHECK(strstr(rig.why.text, "/tmp/weir-no-such-folder"));
    CHECK(strstr(rig.why.text, "No such file"));
}

TEST(a_store_is_open_once)
{
    struct store_rig rig;
    rig_folder(&rig);
    CHECK_OK(rig_open(&rig));
    struct store_rig second = rig;
    CHECK_ERR(WR_BUSY, try_open(&second));
    CHECK(strstr(second.why.text, "another process has"));
    rig_shut(&rig);
    CHECK_OK(rig_open(&rig));
    rig_shut(&rig);
    rig_remove(&rig);
}

TEST(a_store_is_open_once_whatever_link_leads_to_it)
{
    struct store_rig rig;
    char link[80], folder[80];
    rig_folder(&rig);
    snprintf(link, sizeof(link), "%s/link.db", rig.folder);
    snprintf(folder, sizeof(folder), "%s-link", rig.folder);
    CHECK_EQ(0, symlink("weir.db", link));
    CHECK_EQ(0, symlink(rig.folder, folder));
    CHECK_OK(rig_open(&rig));
    struct store_rig second = { 0 };
    snprintf(second.url, sizeof(second.url), "sqlite:%s", link);
    CHECK_ERR(WR_BUSY, try_open(&second));
    snprintf(second.url, sizeof(second.url), "sqlite:%s/weir.db", folder);
    CHECK_ERR(WR_BUSY, try_open(&second));
    rig_shut(&rig);
    CHECK_EQ(0, unlink(link));
    CHECK_EQ(0, unlink(folder));
    rig_remove(&rig);
}

TEST(a_new_file_is_for_its_owner_alone)
{
    struct store_rig rig;
    struct stat info;
    rig_folder(&rig);
    CHECK_OK(rig_open(&rig));
    CHECK_EQ(0, stat(rig.path, &info));
    CHECK_EQ(0600, info.st_mode & 0777);
    rig_shut(&rig);
    rig_remove(&rig);
}

TEST(tables_that_were_begun_by_an_older_program_are_brought_up_to_date)
{
    struct store_rig rig;
    struct store_why why;
    rig_folder(&rig);
    meddle(&rig, store_steps[0]->sqlite);
    meddle(&rig, "pragma user_version = 1; pragma application_id = 0x57656972");
    CHECK_OK(rig_open(&rig));
    CHECK_OK(store_check(rig.store, &why, WR_NEVER));
    rig_shut(&rig);
    rig_remove(&rig);
}

TEST(a_damaged_store_is_found_by_its_check)
{
    struct store_rig rig;
    struct store_why why = { "" };
    rig_folder(&rig);
    CHECK_OK(rig_open(&rig));
    rig_shut(&rig);
    meddle(&rig, "pragma writable_schema = on; update sqlite_schema set rootpage = 2"
                 " where name = 'job_task'");
    CHECK_OK(rig_open(&rig));
    CHECK_ERR(WR_IO, store_check(rig.store, &why, WR_NEVER));
    CHECK(why.text[0]);
    rig_shut(&rig);
    rig_remove(&rig);
}
