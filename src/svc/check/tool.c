/* tool.c - checking references, for agents. */
#include "svc/check/tool.h"

#include <stdlib.h>
#include <string.h>

#include <weir/file.h>

#include "base/json.h"
#include "mcp/request.h"

#define FILE_MAX ((size_t)64 << 20)
#define READ_WITHIN WR_S(20)
#define FIND_WITHIN WR_S(2)
#define RESOURCE "weir://check/"

/* ---- what is handed in ---- */

static wr_err take_text(struct mcp_request *request, struct wr_body *ret)
{
    size_t len;
    const char *text = mcp_request_string(request, "text", &len);
    if (len == 0)
        return mcp_request_fail(request, WR_INVALID, "\"text\" is empty");
    char *copy = malloc(len);
    if (!copy)
        return WR_NOMEM;
    memcpy(copy, text, len);
    *ret = (struct wr_body){ .at = copy, .len = len, .memory = copy };
    return WR_OK;
}

static wr_err take_file(struct mcp_request *request, const char *path, struct wr_body *ret)
{
    char *bytes;
    size_t len;
    wr_err err = wr_file_read(&bytes, &len, path, FILE_MAX, wr_after(READ_WITHIN));
    if (err) {
        const char *why = err == WR_INVALID ? "it is no regular file, or larger than 64 MiB"
                                            : wr_err_text(err);
        return mcp_request_fail(request, err, "%.300s cannot be read: %s", path, why);
    }
    *ret = (struct wr_body){ .at = bytes, .len = len, .memory = bytes };
    return WR_OK;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static wr_err hand_in(struct mcp_request *request, struct intake *intake, struct dossier **ret)
{
    const char *path = mcp_request_string(request, "path", NULL);
    struct wr_body body;
    wr_err err = path ? take_file(request, path, &body) : take_text(request, &body);
    if (err)
        return err;
    err = intake_take(intake, &(struct dossier_conf){
        .name = path ? last_part(path) : "text", .body = &body,
        .one_per_line = mcp_request_boolean(request, "one_per_line", false),
        .offline = mcp_request_boolean(request, "offline", false) }, ret);
    wr_body_free(&body);
    if (err == WR_BUSY)
        return mcp_request_fail(request, err, "as many documents wait as may; try again later");
    return err;
}

static wr_err find(struct mcp_request *request, struct intake *intake, const char *id,
                   struct dossier **ret)
{
    wr_err err = intake_find(intake, id, ret, wr_after(FIND_WITHIN));
    if (err == WR_NOTFOUND)
        return mcp_request_fail(request, err, "there is no check \"%.40s\", or no longer: hand "
                                "the references in again", id);
    return err;
}

/* The one of three that says what is meant. */
static wr_err open_dossier(struct mcp_request *request, struct intake *intake,
                           struct dossier **ret)
{
    const char *id = mcp_request_string(request, "check_id", NULL);
    bool text = mcp_request_string(request, "text", NULL);
    bool path = mcp_request_string(request, "path", NULL);
    if ((id ? 1 : 0) + text + path != 1)
        return mcp_request_fail(request, WR_INVALID, "give exactly one of \"text\", %s"
                                "\"check_id\"", mcp_request_local(request) ? "\"path\", " : "");
    return id ? find(request, intake, id, ret) : hand_in(request, intake, ret);
}

/* ---- what comes of it ---- */

static bool ended(const struct dossier_view *view)
{
    return view->state == DOSSIER_DONE || view->state == DOSSIER_FAILED;
}

/* Until it has ended, or the time is over: both are fine. */
static wr_err await(struct mcp_request *request, struct dossier *dossier, wr_time deadline)
{
    struct wr_watch_reader news = dossier_news(dossier);
    wr_err err = WR_OK;
    while (!err) {
        struct dossier_view view = dossier_view(dossier);
        size_t at;
        mcp_request_progress(request, (uint32_t)view.done, (uint32_t)view.total,
                             "%zu of %zu references", view.done, view.total);
        if (ended(&view))
            return WR_OK;
        err = wr_watch_wait(&news, &at, deadline);
    }
    return err == WR_TIMEOUT || err == WR_CLOSED ? WR_OK : err;
}

static void begin_result(struct wr_json *json, struct dossier *dossier,
                         const struct dossier_view *view)
{
    wr_json_object(json, NULL);
    wr_json_str(json, "check_id", dossier_id(dossier));
    wr_json_str(json, "status", view->state == DOSSIER_DONE ? "complete" : "running");
    wr_json_u64(json, "done", view->done);
    wr_json_u64(json, "total", view->total);
}

static wr_err write_report(struct mcp_request *request, struct dossier *dossier,
                           struct wr_json *json)
{
    const struct check_form *text_form = check_form("text"), *json_form = check_form("json");
    const struct wr_text *text = dossier_form(dossier, (size_t)(text_form - check_forms));
    const struct wr_text *report = dossier_form(dossier, (size_t)(json_form - check_forms));
    if (!text || !report)
        return mcp_request_fail(request, WR_INVALID, "the report is too large; check fewer "
                                "references at a time");
    wr_text_bytes(mcp_request_text(request), text->at, text->len);
    wr_json_raw(json, "report", report->at, report->len);
    return WR_OK;
}

static wr_err write_result(struct mcp_request *request, struct dossier *dossier)
{
    struct wr_json json = wr_json_to(mcp_request_structured(request));
    struct dossier_view view = dossier_view(dossier);
    wr_err err = WR_OK;
    if (view.state == DOSSIER_FAILED)
        return mcp_request_fail(request, view.err, "%s", view.why);
    begin_result(&json, dossier, &view);
    if (view.state == DOSSIER_DONE)
        err = write_report(request, dossier, &json);
    else
        wr_text_format(mcp_request_text(request), "Still running: %zu of %zu references are "
                       "done. Call check_references again with check_id \"%s\" to wait for the "
                       "others.\n", view.done, view.total, dossier_id(dossier));
    wr_json_end(&json);
    return err;
}

static wr_err check_references(struct mcp_request *request)
{
    struct intake *intake = *(struct intake *const *)mcp_request_arg(request);
    struct dossier *dossier = NULL;
    wr_time wait = WR_S(mcp_request_integer(request, "wait", MCP_WAIT_DEFAULT_S));
    if (!intake)
        return mcp_request_fail(request, WR_UNSUPPORTED, "references are not checked here: the "
                                "service \"check\" is not enabled");
    wr_err err = open_dossier(request, intake, &dossier);
    if (err)
        return err;
    err = await(request, dossier, wr_after(wait));
    if (!err)
        err = write_result(request, dossier);
    else if (!mcp_request_string(request, "check_id", NULL))
        dossier_stop(dossier);              /* nobody knows of it but who has gone */
    dossier_unref(dossier);
    return err;
}

static wr_err read_report(struct mcp_request *request)
{
    struct intake *intake = *(struct intake *const *)mcp_request_arg(request);
    struct dossier *dossier;
    wr_err err = intake ? intake_find(intake, mcp_request_rest(request), &dossier,
                                      wr_after(FIND_WITHIN)) : WR_NOTFOUND;
    if (err)
        return err;
    struct dossier_view view = dossier_view(dossier);
    const struct check_form *form = check_form("json");
    const struct wr_text *text = view.state == DOSSIER_DONE
        ? dossier_form(dossier, (size_t)(form - check_forms)) : NULL;
    if (text)
        wr_text_bytes(mcp_request_text(request), text->at, text->len);
    else
        err = view.state == DOSSIER_DONE ? WR_INVALID : WR_NOTFOUND;
    dossier_unref(dossier);
    return err;
}

/* ---- the tables ---- */

static const struct mcp_field fields[] = {
    { .name = "text",
      .what = "The references: a bibliography as plain text, BibTeX, .bbl, or the text of a "
              "paper with its list of references." },
    { .name = "path", .local = true,
      .what = "A file instead of the text: PDF, .bib, .bbl, .tex, .docx, plain text, TEI, or "
              "an archive of such." },
    { .name = "check_id", .what = "A check that was still running: wait for its report." },
    { .name = "one_per_line", .type = MCP_BOOLEAN, .preset = "false",
      .what = "Each line of the text is one reference." },
    { .name = "offline", .type = MCP_BOOLEAN, .preset = "false",
      .what = "Ask no source outside; look into local libraries only." },
    { .name = "wait", .type = MCP_INTEGER, .max = MCP_WAIT_MAX_S, .preset = "30",
      .what = "Seconds to wait for the report. When they are over the answer says how far it "
              "is." },
};

/* What docs/check.md says of the JSON, in the words of JSON Schema. */
static const char output[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"check_id\":{\"type\":\"string\"},"
    "\"status\":{\"type\":\"string\",\"enum\":[\"complete\",\"running\"]},"
    "\"done\":{\"type\":\"integer\"},\"total\":{\"type\":\"integer\"},"
    "\"report\":{\"description\":\"When complete. Of several documents, an array of reports.\","
    "\"anyOf\":[{\"$ref\":\"#/$defs/report\"},"
    "{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/report\"}}]}},"
    "\"required\":[\"check_id\",\"status\",\"done\",\"total\"],"
    "\"$defs\":{"
    "\"report\":{\"type\":\"object\",\"properties\":{"
    "\"version\":{\"type\":\"integer\"},\"file\":{\"type\":[\"string\",\"null\"]},"
    "\"note\":{\"type\":[\"string\",\"null\"]},\"complete\":{\"type\":\"boolean\"},"
    "\"summary\":{\"type\":\"object\",\"properties\":{"
    "\"total\":{\"type\":\"integer\"},\"verified\":{\"type\":\"integer\"},"
    "\"mismatch\":{\"type\":\"integer\"},\"not_found\":{\"type\":\"integer\"},"
    "\"inconclusive\":{\"type\":\"integer\"},\"skipped\":{\"type\":\"integer\"},"
    "\"detected\":{\"type\":\"integer\"}},\"required\":[\"total\"]},"
    "\"references\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/reference\"}}},"
    "\"required\":[\"version\",\"summary\",\"references\"]},"
    "\"reference\":{\"type\":\"object\",\"properties\":{"
    "\"key\":{\"type\":[\"string\",\"null\"]},\"number\":{\"type\":\"integer\"},"
    "\"raw\":{\"type\":[\"string\",\"null\"]},\"title\":{\"type\":[\"string\",\"null\"]},"
    "\"authors\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
    "\"year\":{\"type\":[\"integer\",\"null\"]},\"venue\":{\"type\":[\"string\",\"null\"]},"
    "\"doi\":{\"type\":[\"string\",\"null\"]},\"arxiv_id\":{\"type\":[\"string\",\"null\"]},"
    "\"verdict\":{\"type\":\"string\",\"enum\":[\"verified\",\"mismatch\",\"not_found\","
    "\"inconclusive\",\"skipped\"]},\"reason\":{\"type\":[\"string\",\"null\"]},"
    "\"mismatches\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
    "\"field\":{\"type\":\"string\"},\"cited\":{\"type\":[\"string\",\"null\"]},"
    "\"found\":{\"type\":[\"string\",\"null\"]}},\"required\":[\"field\"]}},"
    "\"flags\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
    "\"evidence\":{\"type\":\"array\",\"items\":{\"type\":\"object\"}}},"
    "\"required\":[\"number\",\"verdict\",\"mismatches\",\"flags\"]}}}";

struct mcp_tool check_tool(struct intake *const *intake)
{
    return (struct mcp_tool){
        .name = "check_references",
        .title = "Check references",
        .what = "Does every work cited here exist, as cited? Looks each reference up in local "
                "libraries and, unless offline, in CrossRef, arXiv, DBLP, OpenAlex and others. "
                "Each gets a verdict: verified, mismatch (with what is cited and what was "
                "found), not_found, inconclusive (a source could not be asked: this does not "
                "mean that "
                "the work is missing) or skipped; and flags such as retracted. A finding is a "
                "reason to look, not a proof.",
        .fields = fields,
        .field_count = sizeof(fields) / sizeof(*fields),
        .output = output,
        .reads_only = true,
        .repeatable = true,
        .outward = true,
        .handler = check_references,
        .arg = (void *)(uintptr_t)intake
    };
}

struct mcp_resource check_resource(struct intake *const *intake)
{
    return (struct mcp_resource){
        .uri = RESOURCE "{check_id}", .name = "check_report", .title = "Report of a check",
        .what = "The whole report of a check that is complete, as JSON.",
        .media = "application/json", .read = read_report, .arg = (void *)(uintptr_t)intake };
}

static const struct mcp_field prompt_fields[] = {
    { .name = "bibliography", .required = true,
      .what = "The references, as plain text or BibTeX, or the path of a file." },
};

const struct mcp_prompt check_prompt = {
    .name = "verify_bibliography",
    .title = "Verify a bibliography",
    .what = "Find out whether every work of a bibliography exists, as cited.",
    .fields = prompt_fields,
    .field_count = 1,
    .text =
        "Verify the bibliography below: does every work exist, as cited?\n\n"
        "1. Call check_references with it, unchanged, as \"text\" (or as \"path\", if it is "
        "the "
        "path of a file and the tool has that argument). While the status is \"running\", call "
        "it again with the check_id.\n"
        "2. Report first what needs a look: not_found, mismatch, retracted, "
        "foreign_identifier, "
        "future_date, placeholder_authors. Quote what is cited and what was found side by "
        "side, "
        "with the evidence (source and identifier).\n"
        "3. Then list what is inconclusive, with the reason. It could not be decided: do not "
        "call it missing or fabricated.\n"
        "4. Of what is verified, give the number only.\n"
        "Correct nothing from memory: propose a correction only where the evidence has it, and "
        "say which evidence. A finding is a reason to look, not a proof.\n\n"
        "The bibliography:\n\n{bibliography}\n",
};
