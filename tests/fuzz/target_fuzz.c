/* target_fuzz.c - any JSON as targets of a task: jobs that the store can take, or a reason.
 *
 * The input is {"task":...,"targets":...,"options":...}.  Whatever it is: what is taken is as
 * many rows as targets, each with an id of its own, a kind, a slot, one of three priorities, a
 * key and an object; what is not taken is refused with a word, the argument and a sentence.
 */
#include <stdint.h>
#include <string.h>

#include <weir/panic.h>

#include "net/json_in.h"
#include "svc/queue/target.h"

static void check_row(const json_t *row, const char *id)
{
    const json_t *input = json_array_get(row, 5);
    int64_t priority = json_integer_value(json_array_get(row, 3));
    WR_ASSERT(json_array_size(row) == 6);
    WR_ASSERT(strcmp(id, json_string_value(json_array_get(row, 0))) == 0);
    WR_ASSERT(strcmp("target_queue", json_string_value(json_array_get(row, 1))) == 0);
    WR_ASSERT(strcmp("network_client", json_string_value(json_array_get(row, 2))) == 0);
    WR_ASSERT(priority == 10 || priority == 50 || priority == 90);
    WR_ASSERT(json_string_length(json_array_get(row, 4)) <= STORE_JOB_NAME_MAX);
    WR_ASSERT(json_string_value(json_object_get(json_object_get(input, "target"), "kind")));
    WR_ASSERT(json_is_object(json_object_get(input, "options")));
}

static void check_rows(const struct queue_targets *targets)
{
    json_t *rows = json_loadb(targets->rows.at, targets->rows.len, 0, NULL);
    WR_ASSERT(json_array_size(rows) == targets->count);
    for (size_t i = 0; i < targets->count; i++) {
        check_row(json_array_get(rows, i), targets->ids[i]);
        WR_ASSERT(i == 0 || strcmp(targets->ids[i - 1], targets->ids[i]) < 0);
    }
    json_decref(rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct queue_targets targets;
    struct queue_why why;
    const char *reason;
    json_t *json = json_in_large(data, size, &reason);
    if (!json) {
        WR_ASSERT(reason && *reason);
        return 0;
    }
    wr_err err = queue_targets_read(&targets, &(struct queue_targets_said){
        .task = json_string_value(json_object_get(json, "task")),
        .targets = json_object_get(json, "targets"),
        .options = json_object_get(json, "options") }, &why);
    if (err)
        WR_ASSERT(err == WR_INVALID && why.code[0] && why.param[0] && why.text[0]);
    else
        check_rows(&targets);
    queue_targets_free(&targets);
    json_decref(json);
    return 0;
}
