/* content.c - what an answer has besides text: images, sounds, resources. */
#include <string.h>

#include "mcp/mcp_int.h"

/* Base64 as everybody writes it, with padding: that of base/base64.h is for URLs. */
static void write_base64(struct wr_text *text, const unsigned char *at, size_t len)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < len; i += 3) {
        size_t left = len - i;
        unsigned bits = (unsigned)at[i] << 16 | (left > 1 ? (unsigned)at[i + 1] << 8 : 0)
            | (left > 2 ? at[i + 2] : 0);
        char out[4] = { letters[bits >> 18], letters[bits >> 12 & 63], '=', '=' };
        if (left > 1)
            out[2] = letters[bits >> 6 & 63];
        if (left > 2)
            out[3] = letters[bits & 63];
        wr_text_bytes(text, out, sizeof(out));
    }
}

void mcp_write_base64(struct wr_json *json, const char *key, const void *bytes, size_t len)
{
    wr_json_raw(json, key, "\"", 1);
    write_base64(json->text, bytes, len);
    wr_text_str(json->text, "\"");
}

/* One more block; they are kept as JSON, with commas between them. */
static struct wr_json begin_block(struct mcp_request *request)
{
    if (request->blocks.len)
        wr_text_str(&request->blocks, ",");
    struct wr_json json = wr_json_to(&request->blocks);
    wr_json_object(&json, NULL);
    if (request->prompts) {
        wr_json_str(&json, "role", "user");
        wr_json_object(&json, "content");
    }
    return json;
}

static void end_block(struct mcp_request *request, struct wr_json *json)
{
    if (request->prompts)
        wr_json_end(json);
    wr_json_end(json);
}

static void add_bytes(struct mcp_request *request, const char *type, const char *media,
                      const void *bytes, size_t len)
{
    struct wr_json json = begin_block(request);
    wr_json_str(&json, "type", type);
    mcp_write_base64(&json, "data", bytes, len);
    wr_json_str(&json, "mimeType", media);
    end_block(request, &json);
}

void mcp_request_image(struct mcp_request *request, const char *media, const void *bytes,
                       size_t len)
{
    add_bytes(request, "image", media, bytes, len);
}

void mcp_request_audio(struct mcp_request *request, const char *media, const void *bytes,
                       size_t len)
{
    add_bytes(request, "audio", media, bytes, len);
}

void mcp_request_embed(struct mcp_request *request, const char *uri, const char *media,
                       const char *text, size_t len)
{
    struct wr_json json = begin_block(request);
    wr_json_str(&json, "type", "resource");
    wr_json_object(&json, "resource");
    wr_json_str(&json, "uri", uri);
    wr_json_str(&json, "mimeType", media);
    wr_json_bytes(&json, "text", text, len);
    wr_json_end(&json);
    end_block(request, &json);
}

void mcp_write_text(struct wr_json *json, const char *key, const char *text, size_t len)
{
    wr_json_object(json, key);
    wr_json_str(json, "type", "text");
    wr_json_bytes(json, "text", text, len);
    wr_json_end(json);
}

/* The text comes first, and is there if nothing else is. */
void mcp_write_content(struct mcp_request *request)
{
    struct wr_json *json = &request->json;
    const struct wr_text *text = &request->text, *blocks = &request->blocks;
    wr_json_array(json, "content");
    if (text->len || !blocks->len)
        mcp_write_text(json, NULL, text->at, text->len);
    if (blocks->len)
        wr_json_raw(json, NULL, blocks->at, blocks->len);
    wr_json_end(json);
}

/* The text comes last: it is about the others. */
void mcp_write_messages(struct mcp_request *request)
{
    struct wr_json *json = &request->json;
    const struct wr_text *text = &request->text, *blocks = &request->blocks;
    wr_json_array(json, "messages");
    if (blocks->len)
        wr_json_raw(json, NULL, blocks->at, blocks->len);
    if (text->len || !blocks->len) {
        wr_json_object(json, NULL);
        wr_json_str(json, "role", "user");
        mcp_write_text(json, "content", text->at, text->len);
        wr_json_end(json);
    }
    wr_json_end(json);
}
