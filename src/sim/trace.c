/* trace.c - what happened, as lines: hashed always, shown or kept on demand. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/sim_int.h"

/* FNV-1a, 64 bits. */
#define HASH_START 0xcbf29ce484222325
#define HASH_STEP 0x100000001b3

void wr_trace_begin(struct trace *trace)
{
    trace->hash = HASH_START;
    trace->lines = 0;
    trace->over = false;
    if (trace->keep && !trace->tail)
        trace->tail = calloc(TRACE_TAIL, TRACE_LINE);
}

void wr_trace_close(struct trace *trace)
{
    free(trace->tail);
    *trace = (struct trace){ 0 };
}

void wr_trace_line(struct trace *trace, const struct wr_text *line)
{
    if (trace->over)
        return;
    uint64_t hash = trace->hash;
    for (size_t i = 0; i < line->len; i++)
        hash = (hash ^ (unsigned char)line->at[i]) * HASH_STEP;
    trace->hash = (hash ^ '\n') * HASH_STEP;
    if (trace->keep && trace->tail)
        memcpy(trace->tail[trace->lines % TRACE_TAIL], line->at, line->len + 1);
    if (trace->show)
        trace->show(trace->show_arg, line->at);
    trace->lines++;
}

void wr_trace_format(struct trace *trace, const char *format, ...)
{
    char buf[TRACE_LINE];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(buf, sizeof(buf), format, args);
    va_end(args);
    wr_trace_line(trace, &(struct wr_text){
        .at = buf, .len = (size_t)len < sizeof(buf) ? (size_t)len : sizeof(buf) - 1 });
}

void wr_trace_tail(const struct trace *trace, void (*show)(void *arg, const char *line),
                   void *arg)
{
    uint64_t kept = trace->lines < TRACE_TAIL ? trace->lines : TRACE_TAIL;
    if (!trace->tail)
        return;
    for (uint64_t at = trace->lines - kept; at < trace->lines; at++)
        show(arg, trace->tail[at % TRACE_TAIL]);
}
