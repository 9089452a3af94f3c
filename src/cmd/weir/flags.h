/* flags.h - options of a command, turned into flags of the configuration.
 *
 *     struct flags flags = { 0 };
 *     bool good = flags_add(&flags, "weir check") && flags_add(&flags, "--check-offline")
 *         && flags_set(&flags, "check.in_flight=8");
 *     ...flags.at and flags.count are an argv for weir_load
 *     flags_free(&flags);
 *
 * What is wrong is said on standard error. */
#ifndef WEIR_CMD_FLAGS_H
#define WEIR_CMD_FLAGS_H

#include <stdbool.h>

#define FLAGS_MAX 64

struct flags { char *at[FLAGS_MAX]; int count; };

bool flags_add(struct flags *flags, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* One more word of a list, "--check-without=a,b": of two equal flags the last would count. */
bool flags_word(struct flags *flags, const char *flag, const char *word);

/* "check.in_flight=8" as the flag --check-in-flight=8 */
bool flags_set(struct flags *flags, const char *text);

void flags_free(struct flags *flags);

#endif
