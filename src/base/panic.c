/* panic.c - say what rule was broken, then end what can be ended. */
#include <weir/panic.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/panic_int.h"
#include "base/world.h"

void (*wr_panic_hook)(const char *place, const char *message);

void wr_panic_at(const char *place, const char *format, ...)
{
    char message[512], line[640];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    int len = snprintf(line, sizeof(line), "weir: panic at %s: %s\n", place, message);
    if ((size_t)len >= sizeof(line))
        line[sizeof(line) - 2] = '\n';      /* cut, but still a line of its own */
    wr_world->complain(line, strlen(line));
    if (wr_panic_hook)
        wr_panic_hook(place, message);
    abort();
}
