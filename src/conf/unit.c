/* unit.c - numbers with units. */
#include "conf/unit.h"

#include <stddef.h>
#include <string.h>

#include <weir/time.h>

#define PERMITS_FLOOR 2

struct unit { const char *name; int64_t factor; };

/* The largest that divides comes first when printing. */
static const struct unit durations[] = {
    { "h", WR_S(3600) }, { "m", WR_S(60) }, { "s", WR_S(1) }, { "ms", WR_MS(1) },
};
static const struct unit sizes[] = {
    { "EiB", 1ll << 60 }, { "PiB", 1ll << 50 }, { "TiB", 1ll << 40 }, { "GiB", 1 << 30 },
    { "MiB", 1 << 20 },   { "KiB", 1 << 10 },   { "B", 1 },           { "", 1 },
    { "GB", 1000000000 }, { "MB", 1000000 },    { "KB", 1000 },
};
#define PRINTED_SIZES 7     /* nobody should have to tell 1MB from 1MiB in what we print */
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* The digits at the front; what follows them, or NULL. */
static const char *digits(int64_t *ret, const char *text)
{
    const char *at = text;
    int64_t value = 0;
    for (; *at >= '0' && *at <= '9'; at++)
        if (__builtin_mul_overflow(value, 10, &value)
            || __builtin_add_overflow(value, *at - '0', &value))
            return NULL;
    *ret = value;
    return at == text ? NULL : at;
}

static bool in_units(int64_t *ret, const char *text, const struct unit *units, size_t count)
{
    int64_t value;
    const char *name = digits(&value, text);
    for (size_t i = 0; name && i < count; i++)
        if (strcmp(name, units[i].name) == 0)
            return !__builtin_mul_overflow(value, units[i].factor, ret);
    return false;
}

bool wr_unit_int(int64_t *ret, const char *text)
{
    bool minus = *text == '-';
    int64_t value;
    const char *rest = digits(&value, text + minus);
    if (!rest || *rest)
        return false;
    *ret = minus ? -value : value;
    return true;
}

bool wr_unit_duration(int64_t *ret_ns, const char *text)
{
    return in_units(ret_ns, text, durations, COUNT(durations));
}

bool wr_unit_size(int64_t *ret, const char *text)
{
    return in_units(ret, text, sizes, COUNT(sizes));
}

bool wr_unit_permits(int64_t *ret, const char *text, unsigned cpus)
{
    int64_t value;
    const char *rest = digits(&value, text);
    if (!rest || value == 0)
        return false;
    if (strcmp(rest, "xCPU") == 0) {
        if (__builtin_mul_overflow(value, (int64_t)cpus, &value))
            return false;
        value = value < PERMITS_FLOOR ? PERMITS_FLOOR : value;
    } else if (*rest) {
        return false;
    }
    *ret = value;
    return value <= INT32_MAX;
}

static void print(struct wr_text *text, int64_t value, const struct unit *units, size_t count)
{
    size_t i = 0;
    while (i + 1 < count && (value == 0 || value % units[i].factor != 0))
        i++;
    wr_text_i64(text, value / units[i].factor);
    wr_text_str(text, units[i].name);
}

void wr_unit_print_duration(struct wr_text *text, int64_t ns)
{
    print(text, ns, durations, COUNT(durations));
}

void wr_unit_print_size(struct wr_text *text, int64_t size)
{
    print(text, size, sizes, PRINTED_SIZES);
}
