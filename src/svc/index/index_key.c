/* index_key.c - content ids and names, each in one form: see index_key.h. */
#include "svc/index/index_key.h"

#include <string.h>

#include <weir/panic.h>

#define NAME "name:"
#define CID "b3:"

static const char of_key[] = "a key is b3: and 64 hex digits in lower case, or name: and a "
                             "name";
static const char of_cid[] = "a content id is b3: and 64 hex digits in lower case";
static const char of_bare_cid[] =
    "a content id is 64 hex digits in lower case, with or without "
    "b3: before them";
static const char of_name[] = "a name has 1 to 253 of the letters a to z, digits, '.', '_' and "
                              "'-', does not begin or end with a '.' and has no two of them in "
                              "a row";

static wr_err refuse(const char **ret_clause, const char *clause)
{
    *ret_clause = clause;
    return WR_INVALID;
}

/* What is between the blanks around it. */
static const char *trim(const char *text, size_t *ret_len)
{
    text += strspn(text, " ");
    size_t len = strlen(text);
    while (len > 0 && text[len - 1] == ' ')
        len--;
    *ret_len = len;
    return text;
}

static char fold(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static bool is_of_names(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

wr_err index_name_read(char *buf, const char *text, const char **ret_clause)
{
    char name[INDEX_NAME_MAX + 1];
    size_t len;
    text = trim(text, &len);
    if (len == 0 || len > INDEX_NAME_MAX || text[0] == '.' || text[len - 1] == '.')
        return refuse(ret_clause, of_name);
    for (size_t i = 0; i < len; i++) {
        name[i] = fold(text[i]);
        if (!is_of_names(name[i]) || (i > 0 && name[i] == '.' && name[i - 1] == '.'))
            return refuse(ret_clause, of_name);
    }
    memcpy(buf, name, len);
    buf[len] = '\0';
    return WR_OK;
}

wr_err index_cid_read(struct wr_hash *ret, const char *text, bool bare,
                      const char **ret_clause)
{
    size_t len = strlen(text);
    if (bare)
        text = trim(text, &len);
    if (wr_hash_parse_cid(ret, text, len) == WR_OK
        || (bare && wr_hash_parse(ret, text, len) == WR_OK))
        return WR_OK;
    return refuse(ret_clause, bare ? of_bare_cid : of_cid);
}

wr_err index_key_read(struct index_key *ret, const char *text, const char **ret_clause)
{
    struct index_key key = { .is_name = strncmp(text, NAME, strlen(NAME)) == 0 };
    wr_err err;
    if (key.is_name) {
        memcpy(key.text, NAME, strlen(NAME));
        err = index_name_read(key.text + strlen(NAME), text + strlen(NAME), ret_clause);
    } else if (strncmp(text, CID, strlen(CID)) == 0) {
        err = index_cid_read(&key.cid, text, false, ret_clause);
        wr_hash_print_cid(&key.cid, key.text);
    } else {
        err = refuse(ret_clause, of_key);
    }
    if (!err)
        *ret = key;
    return err;
}

const char *index_key_name(const struct index_key *key)
{
    WR_ASSERT(key->is_name);
    return key->text + strlen(NAME);
}
