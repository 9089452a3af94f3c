/* queue_said.c - see queue_said.h. */
#include "svc/queue/queue_said.h"

const json_t *queue_said_get(const struct queue_said *said, const char *name)
{
    const json_t *value = said->get(said->from, name);
    return json_is_null(value) ? NULL : value;
}

wr_err queue_said_number(const json_t *value, const char *name, int64_t min, int64_t max,
                         int64_t *ret, struct queue_why *why)
{
    if (!value || json_is_null(value))
        return WR_OK;
    int64_t number = json_integer_value(value);
    if (!json_is_integer(value))
        return queue_why_say(why, WR_INVALID, "INVALID_PARAMS", name,
                             "%s must be a whole number from %lld to %lld", name,
                             (long long)min, (long long)max);
    if (number < min || number > max)
        return queue_why_say(why, WR_INVALID, "INVALID_PARAMS", name,
                             "%s is %lld; allowed are whole numbers from %lld to %lld", name,
                             (long long)number, (long long)min, (long long)max);
    *ret = number;
    return WR_OK;
}
