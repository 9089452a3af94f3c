/* keyring.c - keys in a file: see keyring.h. */
#include "net/keyring.h"

#include <stdlib.h>
#include <string.h>

#include <weir/file.h>

#include "base/text.h"
#include "base/world.h"

#define FILE_MAX 8192
#define WHITE " \t\r"

static wr_err explain(wr_err err, char *why, const char *format, ...)
{
    struct wr_text text = wr_text_over(why, KEYRING_WHY);
    va_list args;
    va_start(args, format);
    wr_text_vformat(&text, format, args);
    va_end(args);
    return err;
}

static bool is_name(const char *at, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (at[i] <= ' ' || at[i] > '~' || at[i] == '#')
            return false;
    return len > 0 && len <= WR_TOKEN_NAME_MAX;
}

/* ---- reading ---- */

/* One line: nothing, or a name and a key. */
static wr_err read_line(struct keyring *ring, char *line)
{
    char *name = line + strspn(line, WHITE);
    size_t name_len = strcspn(name, WHITE);
    if (*name == '\0' || *name == '#')
        return WR_OK;
    char *digits = name + name_len + strspn(name + name_len, WHITE);
    size_t len = strcspn(digits, WHITE);
    struct wr_hash bytes;
    struct wr_secret *secret;
    if (!is_name(name, name_len) || digits[len + strspn(digits + len, WHITE)]
        || wr_hash_parse(&bytes, digits, len) || ring->count == KEYRING_MAX)
        return WR_INVALID;
    for (size_t i = 0; i < ring->count; i++)
        if (strlen(ring->names[i]) == name_len
            && memcmp(ring->names[i], name, name_len) == 0)
            return WR_INVALID;
    wr_err err = wr_secret_new(&secret, bytes.bytes, sizeof(bytes.bytes));
    if (err)
        return err;
    memcpy(ring->names[ring->count], name, name_len);
    ring->keys[ring->count] = (struct wr_token_key){ ring->names[ring->count], secret };
    ring->count++;
    return WR_OK;
}

static wr_err read_lines(struct keyring *ring, char *text, const char *path, char *why)
{
    unsigned number = 1;
    for (char *line = text, *end; line; line = end, number++) {
        end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        wr_err err = read_line(ring, line);
        if (err)
            return explain(err, why, "%s, line %u: %s", path, number, err == WR_INVALID
                           ? "it must be a name and a key of 64 hex digits in lower case, "
                             "at most 16 of them and no name twice"
                           : wr_err_text(err));
    }
    if (ring->count == 0)
        return explain(WR_INVALID, why, "%s has no key; make another with: weir token mint "
                       "--new-key --scope node.read --key FILE", path);
    return WR_OK;
}

static wr_err look(const char *path, wr_time deadline, char *why)
{
    struct wr_file_info info;
    wr_err err = wr_file_look(&info, path, deadline);
    if (err == WR_NOTFOUND)
        return explain(err, why, "there is no key file %s; make one with: weir token mint "
                       "--new-key --scope node.read --key %s", path, path);
    if (!err && info.mode & 077)
        return explain(WR_DENIED, why, "the key file %s has mode %04o, so others can get at "
                       "it; run: chmod 600 %s", path, info.mode, path);
    if (!err)
        return WR_OK;
    return explain(err, why, "the key file %s cannot be looked at: %s", path, wr_err_text(err));
}

wr_err keyring_load(struct keyring **ret, const char *path, wr_time deadline, char *why)
{
    char *text;
    size_t len;
    wr_err err = look(path, deadline, why);
    if (err)
        return err;
    err = wr_file_read(&text, &len, path, FILE_MAX, deadline);
    if (err)
        return explain(err, why, "the key file %s cannot be read: %s", path, wr_err_text(err));
    struct keyring *ring = calloc(1, sizeof(*ring));
    if (!ring)
        err = explain(WR_NOMEM, why, "%s", wr_err_text(WR_NOMEM));
    else if (memchr(text, '\0', len))
        err = explain(WR_INVALID, why, "the key file %s is not text", path);
    else
        err = read_lines(ring, text, path, why);
    explicit_bzero(text, len);
    free(text);
    if (err)
        keyring_free(ring);
    else
        *ret = ring;
    return err;
}

void keyring_free(struct keyring *ring)
{
    if (!ring)
        return;
    for (size_t i = 0; i < ring->count; i++)
        wr_secret_unref((struct wr_secret *)(uintptr_t)ring->keys[i].secret);
    free(ring);
}

/* ---- making ---- */

wr_err keyring_make(const char *path, const char *kid, wr_time deadline, char *why)
{
    struct wr_file_info info;
    struct wr_hash key;
    char line[WR_TOKEN_NAME_MAX + WR_HASH_TEXT + 2], digits[WR_HASH_TEXT], name[16];
    if (kid && !is_name(kid, strlen(kid)))
        return explain(WR_INVALID, why, "the name of a key has 1 to %d letters, without "
                       "blanks and #", WR_TOKEN_NAME_MAX);
    if (wr_file_look(&info, path, deadline) != WR_NOTFOUND)
        return explain(WR_EXISTS, why, "there is a file %s already, which stays as it is: "
                       "leave out --new-key to use it", path);
    wr_world->entropy(key.bytes, sizeof(key.bytes));
    struct wr_hash of_key = wr_hash_of(key.bytes, sizeof(key.bytes));
    struct wr_text text = WR_TEXT(name);
    wr_text_format(&text, "k-%.8s", wr_hash_print(&of_key, digits));
    text = WR_TEXT(line);
    wr_text_format(&text, "%s %s\n", kid ? kid : name, wr_hash_print(&key, digits));
    wr_err err = wr_file_write_atomic(path, line, text.len, 0600, deadline);
    explicit_bzero(&key, sizeof(key));
    explicit_bzero(line, sizeof(line));
    explicit_bzero(digits, sizeof(digits));
    if (err)
        return explain(err, why, "the key file %s cannot be written: %s", path,
                       wr_err_text(err));
    return WR_OK;
}
