/* unit.h - numbers with units: durations, sizes, permits.
 *
 *     500ms 5s 2m 1h          0, without a unit, is no duration: 5 what?
 *     65536 64B 64KiB 1MB     KB, MB, GB are powers of 1000, KiB to EiB of 1024
 *     8 4xCPU                 a multiple of the processors is at least 2
 *
 * Digits come first, without sign, space or fraction.  What is printed reads back to
 * the same number.
 */
#ifndef WR_CONF_UNIT_H
#define WR_CONF_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/* A decimal number, with or without a minus; false for anything else, also when it does
 * not fit. */
bool wr_unit_int(int64_t *ret, const char *text);

bool wr_unit_duration(int64_t *ret_ns, const char *text);
bool wr_unit_size(int64_t *ret, const char *text);
bool wr_unit_permits(int64_t *ret, const char *text, unsigned cpus);

/* In the largest unit that leaves no rest. */
void wr_unit_print_duration(struct wr_text *text, int64_t ns);
void wr_unit_print_size(struct wr_text *text, int64_t size);

#endif
