/* queue_why.c - see queue_why.h. */
#include "svc/queue/queue_why.h"

#include <stdarg.h>
#include <stdio.h>

wr_err queue_why_say(struct queue_why *why, wr_err err, const char *code, const char *param,
                     const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(why->text, sizeof(why->text), format, args);
    va_end(args);
    snprintf(why->code, sizeof(why->code), "%s", code);
    snprintf(why->param, sizeof(why->param), "%s", param);
    return err;
}
