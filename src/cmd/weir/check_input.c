/* check_input.c - what is to be checked: see check_input.h. */
#include "cmd/weir/check_input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <weir/file.h>

#include "svc/check/named.h"

#define FILE_MAX ((size_t)512 << 20)
#define FETCH_WITHIN WR_S(180)

/* ---- bytes ---- */

static bool read_input(char **ret, size_t *ret_len)
{
    size_t room = 1 << 16, len = 0;
    char *bytes = malloc(room);
    while (bytes) {
        ssize_t got = read(STDIN_FILENO, bytes + len, room - len);
        if (got <= 0) {
            *ret = bytes;
            *ret_len = len;
            return got == 0;
        }
        len += (size_t)got;
        if (len == room) {
            char *more = room < FILE_MAX ? realloc(bytes, room *= 2) : NULL;
            if (!more)
                break;
            bytes = more;
        }
    }
    free(bytes);
    *ret = NULL;
    return false;
}

wr_err check_input_bytes(const char *name, char **ret, size_t *ret_len)
{
    *ret = NULL;
    if (strcmp(name, "-") == 0) {
        if (read_input(ret, ret_len))
            return WR_OK;
        fprintf(stderr, "weir: standard input cannot be read: %s\n", strerror(errno));
        return WR_IO;
    }
    wr_err err = wr_file_read(ret, ret_len, name, FILE_MAX, WR_NEVER);
    if (err)
        fprintf(stderr, "weir: %s cannot be read: %s\n", name,
                err == WR_INVALID ? "it is no regular file, or larger than 512 MiB"
                                  : wr_err_text(err));
    return err;
}

/* ---- names ---- */

static bool read_name(struct named *ret, const char *name)
{
    return strcmp(name, "-") != 0 && access(name, F_OK) != 0 && named_read(ret, name);
}

bool check_input_is_named(const char *name)
{
    struct named named;
    return read_name(&named, name);
}

static wr_err fetch(const struct check_input *input, const struct named *named,
                    struct wr_arena *arena, struct extract_documents *ret)
{
    char why[NAMED_WHY];
    wr_time within = wr_after(FETCH_WITHIN);
    if (!input->quiet && input->sources)
        fprintf(stderr, "%s is fetched\n", named->name);
    wr_err err = named_fetch(named, input->sources, arena, ret, why,
                             within < input->deadline ? within : input->deadline);
    if (err)
        fprintf(stderr, "weir: %s\n", why);
    return err;
}

wr_err check_input_read(const struct check_input *input, struct wr_arena *arena,
                        struct extract_documents *ret)
{
    struct named named;
    char why[EXTRACT_WHY], *bytes;
    size_t size;
    if (read_name(&named, input->name))
        return fetch(input, &named, arena, ret);
    wr_err err = check_input_bytes(input->name, &bytes, &size);
    if (!err) {
        err = extract_document(input->name, bytes, size, &(struct extract_conf){
            .deadline = input->deadline, .one_per_line = input->one_per_line }, arena, ret,
            why);
        if (err)
            fprintf(stderr, "weir: %s\n", why);
    }
    free(bytes);
    return err;
}
