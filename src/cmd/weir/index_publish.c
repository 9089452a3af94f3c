/* index_publish.c - see index_publish.h. */
#include "cmd/weir/index_publish.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "base/json.h"
#include "store/blob.h"

#define SHOWN_EVERY_MS 100
#define TEXT_MAX ((size_t)256 << 20)

struct publishing {
    struct index_asking *asking;
    json_t *list;                       /* what is published, */
    struct wr_text text;                /* ... and a line for each */
    int status;                         /* of the first that is not */
    size_t wanted;                      /* 0: nobody knows, they come by standard input */
    long long shown_ms, began_ms;
};

static long long now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void say_progress(struct publishing *self)
{
    char line[100];
    struct wr_text text = WR_TEXT(line);
    size_t done = json_array_size(self->list);
    long long now = now_ms();
    if (now - self->shown_ms < SHOWN_EVERY_MS)
        return;
    self->shown_ms = now;
    wr_text_format(&text, "%zu", done);
    if (self->wanted)
        wr_text_format(&text, " of %zu", self->wanted);
    wr_text_format(&text, " published, %.0f a second",
                   (double)done * 1e3 / (double)(now - self->began_ms + 1));
    index_progress(line);
}

/* ---- one ---- */

/* A name of a file need not be text, which JSON is. */
static int done(struct publishing *self, const char *key, const char *cid)
{
    json_t *name = json_string(key);
    json_array_append_new(self->list, json_pack("{s:o,s:s}", "key", name ? name : json_null(),
                                                "cid", cid));
    wr_text_format(&self->text, "%s %s\n", cid, key);
    return 0;
}

static char *read_file(const char *path, size_t *ret_len)
{
    static const char hint[] = " (a name is published by NAME=CID, and a CID is b3: and 64 hex "
                               "digits)";
    FILE *file = fopen(path, "re");
    char *bytes = file ? malloc(STORE_BLOB_MAX + 1) : NULL;
    *ret_len = bytes ? fread(bytes, 1, STORE_BLOB_MAX + 1, file) : 0;
    bool good = bytes && !ferror(file), small = *ret_len <= STORE_BLOB_MAX;
    if (good && !small)
        (void)index_refuse("%s is too large: an object has %zu MiB at most; publish it in "
                           "parts", path, (size_t)STORE_BLOB_MAX >> 20);
    else if (!good)
        (void)index_refuse("%s cannot be read: %s%s", path, strerror(errno),
                           strchr(path, '=') ? hint : "");
    if (file)
        fclose(file);
    if (good && small)
        return bytes;
    free(bytes);
    return NULL;
}

static int publish_file(struct publishing *self, const char *path)
{
    char cid[WR_CID_TEXT], target[120];
    size_t len;
    struct local_answer answer;
    char *bytes = read_file(path, &len);
    if (!bytes)
        return 2;
    struct wr_hash hash = wr_hash_of(bytes, len);
    snprintf(target, sizeof(target), "/v1/index/objects/%s", wr_hash_print_cid(&hash, cid));
    int status = index_ask(self->asking, &answer, &(struct index_question){
        .what = path, .method = "PUT", .target = target, .bytes = bytes, .len = len });
    local_free(&answer);
    free(bytes);
    return status ? status : done(self, path, cid);
}

/* Put it, and tell others. */
static int publish_name(struct publishing *self, const char *name, const char *cid)
{
    char room[INDEX_TARGET_MAX], bytes[WR_CID_TEXT + 40];
    struct wr_text target = WR_TEXT(room), body = WR_TEXT(bytes);
    struct wr_json json = wr_json_to(&body);
    struct local_answer answer;
    wr_json_object(&json, NULL);
    wr_json_str(&json, "manifest_cid", cid);
    wr_json_end(&json);
    wr_text_format(&target, "/v1/index/sites/%s/manifest", name);
    int status = index_ask(self->asking, &answer, &(struct index_question){
        .what = name, .method = "PUT", .target = target.at, .bytes = body.at,
        .len = body.len });
    local_free(&answer);
    if (status)
        return status;
    wr_text_rewind(&target, 0);
    wr_text_format(&target, "/v1/index/offers/name:%s", name);
    status = index_ask(self->asking, &answer, &(struct index_question){
        .what = name, .method = "PUT", .target = target.at });
    local_free(&answer);
    return status ? status : done(self, name, cid);
}

/* NAME=CID, in the one form of each. */
static int read_name(struct publishing *self, const char *word, const char *is)
{
    char given[INDEX_NAME_MAX + 20], name[INDEX_NAME_MAX + 1], cid[WR_CID_TEXT];
    const char *clause;
    struct wr_hash hash;
    snprintf(given, sizeof(given), "%.*s", (int)(is - word), word);
    if ((size_t)(is - word) >= sizeof(given) || index_name_read(name, given, &clause))
        clause = "a name has 1 to 253 of the letters a to z, digits, '.', '_' and '-'";
    else if (!index_cid_read(&hash, is + 1, false, &clause))
        return publish_name(self, name, wr_hash_print_cid(&hash, cid));
    return index_refuse("\"%.300s\" cannot be published: %.300s", word, clause);
}

static void publish_one(struct publishing *self, const char *word)
{
    const char *is = strstr(word, "=b3:");
    int status = is ? read_name(self, word, is) : publish_file(self, word);
    if (!self->status)
        self->status = status;
    say_progress(self);
}

/* ---- all ---- */

static void publish_lines(struct publishing *self)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t len;
    while (!self->asking->lost && (len = getline(&line, &room, stdin)) >= 0) {
        while (len > 0 && strchr("\r\n", line[len - 1]))
            line[--len] = '\0';
        if (len > 0)
            publish_one(self, line);
    }
    free(line);
}

int index_publish(struct index_asking *asking)
{
    struct publishing self = { .asking = asking, .list = json_array(),
                               .text = wr_text_heap(TEXT_MAX),
                               .wanted = (size_t)asking->count, .began_ms = now_ms() };
    for (int i = 0; i < asking->count; i++)
        if (strcmp(asking->words[i], "-") == 0)
            self.wanted = 0;
    for (int i = 0; i < asking->count && !asking->lost; i++)
        if (strcmp(asking->words[i], "-") == 0)
            publish_lines(&self);
        else
            publish_one(&self, asking->words[i]);
    int told = index_tell(asking, self.list, self.text.at ? self.text.at : "");
    if (asking->turn.companion && json_array_size(self.list))
        fprintf(stderr, "weir index: others hear of it while a node runs: weir run\n");
    wr_text_free(&self.text);
    json_decref(self.list);
    return self.status ? self.status : told;
}
