/* sqlite_open.c - from a path to a store: the lock, the tables, the connections. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/schema.h"
#include "store/sqlite.h"

/* ---- one process at a time ---- */

/* An empty database beside the file, locked as long as this process lives. */
wr_err sqlite_lock(struct sqlite *self, struct store_why *why)
{
    size_t size = strlen(self->path) + sizeof("-lock");
    char *path = malloc(size);
    if (!path)
        return WR_NOMEM;
    snprintf(path, size, "%s-lock", self->path);
    wr_err err = conn_open(&self->lock, &(struct conn_conf){
        .path = path, .vfs = self->vfs, .create = true }, why);
    if (!err) {
        err = conn_exec(&self->lock, "pragma locking_mode = exclusive; begin exclusive");
        if (err)
            conn_say(&self->lock, why, "lock", path);
    }
    if (!err && sqlite3_db_readonly(self->lock.db, "main") == 1) {
        store_say(why, "cannot write %.160s: it, or its disk, is read-only; make it writable",
                  self->path);
        err = WR_DENIED;
    }
    if (err == WR_BUSY)
        store_say(why, "another process has %.160s open: stop it, or give this one a store of "
                  "its own", self->path);
    free(path);
    return err;
}

/* ---- tables ---- */

static wr_err refuse_strange(struct conn *conn, const struct sqlite *self, int64_t version,
                             struct store_why *why)
{
    int64_t id, tables;
    wr_err err = conn_ask(conn, "pragma application_id", &id);
    if (!err)
        err = conn_ask(conn, "select count(*) from sqlite_schema", &tables);
    if (err) {
        conn_say(conn, why, "read", self->path);
        return err;
    }
    if (id != STORE_APPLICATION_ID && (id || tables)) {
        store_say(why, "%.160s is the database of another program: give the path of a new file",
                  self->path);
        return WR_INVALID;
    }
    if (version > (int64_t)store_step_count) {
        store_say(why, "%.120s was written by a newer program: it is at step %lld, this one "
                  "knows %zu; use the newer program", self->path, (long long)version,
                  store_step_count);
        return WR_INVALID;
    }
    return WR_OK;
}

static wr_err take_steps(struct conn *conn, size_t from)
{
    char text[120];
    wr_err err = conn_step(conn, CONN_BEGIN);
    for (size_t i = from; i < store_step_count && !err; i++)
        err = conn_exec(conn, store_steps[i]->sqlite);
    if (err)
        return err;
    snprintf(text, sizeof(text), "pragma user_version = %zu; pragma application_id = %d",
             store_step_count, STORE_APPLICATION_ID);
    err = conn_exec(conn, text);
    return err ? err : conn_step(conn, CONN_COMMIT);
}

static wr_err bring_up_to_date(struct sqlite *self, struct store_why *why)
{
    struct conn *conn = &self->writer;
    int64_t version;
    wr_err err = conn_ask(conn, "pragma user_version", &version);
    if (err) {
        conn_say(conn, why, "read", self->path);
        return err;
    }
    err = refuse_strange(conn, self, version, why);
    if (err || version == (int64_t)store_step_count)
        return err;
    err = take_steps(conn, (size_t)version);
    if (err)
        conn_say(conn, why, "make the tables of", self->path);
    return err;
}

/* ---- all of it ---- */

static wr_err open_readers(struct sqlite *self, struct store_why *why)
{
    for (unsigned i = 0; i < self->reader_count; i++) {
        wr_err err = conn_open(&self->readers[i], &(struct conn_conf){
            .path = self->path, .vfs = self->vfs, .read_only = true }, why);
        if (err)
            return err;
        self->spare[self->spare_count++] = &self->readers[i];
    }
    return WR_OK;
}

wr_err sqlite_open_all(struct sqlite *self, struct store_why *why)
{
    wr_err err = sqlite_writer_open(self, why);
    if (!err)
        err = bring_up_to_date(self, why);
    return err ? err : open_readers(self, why);
}

void sqlite_close_all(struct sqlite *self)
{
    for (unsigned i = 0; i < self->reader_count; i++)
        conn_close(&self->readers[i]);
    conn_close(&self->writer);
    conn_close(&self->lock);
}
