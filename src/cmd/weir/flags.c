/* flags.c - options of a command, turned into flags of the configuration. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/weir/flags.h"

bool flags_add(struct flags *flags, const char *format, ...)
{
    va_list args;
    char *flag;
    if (flags->count == FLAGS_MAX) {
        fprintf(stderr, "weir: too many options: at most %d that configure\n", FLAGS_MAX - 1);
        return false;
    }
    va_start(args, format);
    int len = vasprintf(&flag, format, args);
    va_end(args);
    if (len >= 0)
        flags->at[flags->count++] = flag;
    return len >= 0;
}

bool flags_word(struct flags *flags, const char *flag, const char *word)
{
    size_t len = strlen(flag);
    for (int i = 0; i < flags->count; i++) {
        char *had = flags->at[i], *words;
        if (strncmp(had, flag, len) != 0 || had[len] != '=')
            continue;
        if (asprintf(&words, "%s,%s", had, word) < 0)
            return false;
        free(had);
        flags->at[i] = words;
        return true;
    }
    return flags_add(flags, "%s=%s", flag, word);
}

bool flags_set(struct flags *flags, const char *text)
{
    if (!strchr(text, '=')) {
        fprintf(stderr, "weir: --set %s: write KEY=VALUE\n", text);
        return false;
    }
    if (!flags_add(flags, "--%s", text))
        return false;
    for (char *at = flags->at[flags->count - 1] + 2; *at != '='; at++)
        if (*at == '.' || *at == '_')
            *at = '-';
    return true;
}

void flags_free(struct flags *flags)
{
    for (int i = 0; i < flags->count; i++)
        free(flags->at[i]);
    *flags = (struct flags){ 0 };
}
