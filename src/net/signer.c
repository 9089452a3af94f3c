/* signer.c - Ed25519 by OpenSSL, with keys and chances of our own: see signer.h. */
#include "net/signer.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/err.h>
#include <openssl/evp.h>

#include <weir/file.h>
#include <weir/panic.h>
#include <weir/secret.h>

#include "base/hash.h"
#include "base/text.h"
#include "base/world.h"

#define FILE_MAX 256
#define DIGITS (WR_HASH_TEXT - 1)
#define WHITE " \t\r\n"

_Static_assert(SIGNER_ID == WR_HASH_SIZE, "an id is written and read as a hash is");
_Static_assert(SIGNER_ID_TEXT == WR_HASH_TEXT, "an id is written and read as a hash is");

struct signer {
    EVP_PKEY *key;
    unsigned char id[SIGNER_ID];
};

static wr_err explain(wr_err err, char *why, const char *format, ...)
{
    struct wr_text text = wr_text_over(why, SIGNER_WHY);
    va_list args;
    va_start(args, format);
    wr_text_vformat(&text, format, args);
    va_end(args);
    return err;
}

/* ---- the key ---- */

/* The 64 digits of a file, with nothing but blanks around them. */
static wr_err secret_of(struct wr_secret **ret, const char *text, size_t len)
{
    struct wr_hash bytes;
    size_t lead = strspn(text, WHITE);
    if (len < lead + DIGITS || wr_hash_parse(&bytes, text + lead, DIGITS)
        || lead + DIGITS + strspn(text + lead + DIGITS, WHITE) != len)
        return WR_INVALID;
    return wr_secret_new(ret, bytes.bytes, sizeof(bytes.bytes));
}

static wr_err read_key(struct wr_secret **ret, const char *path, wr_time deadline, char *why)
{
    struct wr_file_info info;
    char *text;
    size_t len;
    wr_err err = wr_file_look(&info, path, deadline);
    if (err == WR_NOTFOUND)
        return err;
    if (!err && info.mode & 077)
        return explain(WR_DENIED, why, "the node's key %s has mode %04o, so others can get at "
                       "it; run: chmod 600 %s", path, info.mode, path);
    if (!err)
        err = wr_file_read(&text, &len, path, FILE_MAX, deadline);
    if (err && err != WR_INVALID)
        return explain(err, why, "the node's key %s cannot be read: %s", path,
                       wr_err_text(err));
    if (!err) {
        err = secret_of(ret, text, len);
        explicit_bzero(text, len);
        free(text);
    }
    if (err == WR_INVALID)
        return explain(err, why, "%s is not a node's key, which is a file with 64 hex digits "
                       "in lower case; move it away, and a new key is made: the node has "
                       "another id then", path);
    return err ? explain(err, why, "%s", wr_err_text(err)) : WR_OK;
}

static wr_err make_key(struct wr_secret **ret, const char *path, wr_time deadline, char *why)
{
    struct wr_hash bytes;
    char line[WR_HASH_TEXT];
    wr_world->entropy(bytes.bytes, sizeof(bytes.bytes));
    wr_err err = WR_OK;
    if (path) {
        wr_hash_print(&bytes, line);
        line[DIGITS] = '\n';
        err = wr_file_write_atomic(path, line, sizeof(line), 0600, deadline);
        explicit_bzero(line, sizeof(line));
    }
    if (err) {
        explicit_bzero(&bytes, sizeof(bytes));
        return explain(err, why, "the node's key %s cannot be written: %s%s", path,
                       wr_err_text(err), err == WR_NOTFOUND ? "; make its folder first" : "");
    }
    err = wr_secret_new(ret, bytes.bytes, sizeof(bytes.bytes));
    return err ? explain(err, why, "%s", wr_err_text(err)) : WR_OK;
}

static wr_err open_key(struct signer **ret, const struct wr_secret *secret)
{
    size_t len = SIGNER_ID;
    struct signer *signer = calloc(1, sizeof(*signer));
    if (!signer)
        return WR_NOMEM;
    signer->key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, wr_secret_bytes(secret),
                                               wr_secret_size(secret));
    if (!signer->key || EVP_PKEY_get_raw_public_key(signer->key, signer->id, &len) != 1) {
        ERR_clear_error();
        signer_close(signer);
        return WR_NOMEM;
    }
    *ret = signer;
    return WR_OK;
}

wr_err signer_open(struct signer **ret, const char *path, wr_time deadline, char *why)
{
    struct wr_secret *secret = NULL;
    wr_err err = path ? read_key(&secret, path, deadline, why) : WR_NOTFOUND;
    if (err == WR_NOTFOUND)
        err = make_key(&secret, path, deadline, why);
    if (err)
        return err;
    err = open_key(ret, secret);
    wr_secret_unref(secret);
    return err ? explain(err, why, "%s", wr_err_text(err)) : WR_OK;
}

void signer_close(struct signer *signer)
{
    if (!signer)
        return;
    EVP_PKEY_free(signer->key);
    free(signer);
}

/* ---- ids ---- */

const unsigned char *signer_id(const struct signer *signer)
{
    return signer->id;
}

void signer_id_print(const unsigned char id[SIGNER_ID], char text[SIGNER_ID_TEXT])
{
    struct wr_hash bytes;
    memcpy(bytes.bytes, id, SIGNER_ID);
    wr_hash_print(&bytes, text);
}

wr_err signer_id_read(unsigned char id[SIGNER_ID], const char *text)
{
    struct wr_hash bytes;
    wr_err err = wr_hash_parse(&bytes, text, strlen(text));
    if (!err)
        memcpy(id, bytes.bytes, SIGNER_ID);
    return err;
}

/* An id is a number below 2^255 - 19, the y of a point, and one bit for its x.  The library
 * also takes larger numbers. */
static bool is_canonical(const unsigned char id[SIGNER_ID])
{
    if ((id[SIGNER_ID - 1] & 0x7f) != 0x7f || id[0] < 0xed)
        return true;
    for (size_t i = 1; i < SIGNER_ID - 1; i++)
        if (id[i] != 0xff)
            return true;
    return false;
}

/* Eight times such a point is the neutral one: a signature of nothing but zeros then fits one
 * message in eight, or every one. */
static bool is_small(const unsigned char id[SIGNER_ID])
{
    static const unsigned char small[][SIGNER_ID] = {
        { 0 },
        { 1 },
        { 0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4,
          0x89, 0xf2, 0xef, 0x98, 0xf0, 0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6,
          0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05 },
        { 0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b,
          0x76, 0x0d, 0x10, 0x67, 0x0f, 0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39,
          0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a },
        { 0xec, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
          0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
          0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f },
    };
    for (size_t i = 0; i < sizeof(small) / sizeof(small[0]); i++)
        if (memcmp(id, small[i], SIGNER_ID - 1) == 0
            && (id[SIGNER_ID - 1] & 0x7f) == small[i][SIGNER_ID - 1])
            return true;
    return false;
}

/* ---- signatures ---- */

void signer_sign(const struct signer *signer, const void *bytes, size_t len,
                 unsigned char ret[SIGNATURE])
{
    size_t size = SIGNATURE;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool done = context && EVP_DigestSignInit(context, NULL, NULL, NULL, signer->key) == 1
        && EVP_DigestSign(context, ret, &size, bytes, len) == 1;
    EVP_MD_CTX_free(context);
    if (!done)
        wr_panic("nothing can be signed: there is no memory");
}

wr_err signature_check(const unsigned char id[SIGNER_ID], const void *bytes, size_t len,
                       const unsigned char signature[SIGNATURE])
{
    if (!is_canonical(id) || is_small(id))
        return WR_QUARANTINE;
    EVP_PKEY *key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, id, SIGNER_ID);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool his = key && context && EVP_DigestVerifyInit(context, NULL, NULL, NULL, key) == 1
        && EVP_DigestVerify(context, signature, SIGNATURE, bytes, len) == 1;
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    if (!his)
        ERR_clear_error();
    return his ? WR_OK : WR_QUARANTINE;
}
