#include "measure.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

uint64_t measure_arg(int argc, char **argv, int n, uint64_t otherwise)
{
    if (n >= argc)
        return otherwise;
    char *end;
    uint64_t value = strtoull(argv[n], &end, 10);
    if (end == argv[n] || *end != '\0') {
        fprintf(stderr, "%s: \"%s\" is not a number\n", argv[0], argv[n]);
        exit(2);
    }
    return value;
}

static double milliseconds(struct timeval t)
{
    return (double)t.tv_sec * 1e3 + (double)t.tv_usec / 1e3;
}

double measure_cpu_ms(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime);
}

int64_t measure_time(unsigned workers)
{
    struct timespec t;
    clock_gettime(workers == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

uint64_t measure_memory(void)
{
    FILE *status = fopen("/proc/self/status", "r");
    if (!status)
        wr_panic("/proc/self/status cannot be read");
    uint64_t sum = 0, kilobytes;
    char line[256];
    while (fgets(line, sizeof(line), status)) {
        if (sscanf(line, "VmRSS: %" SCNu64, &kilobytes) == 1
            || sscanf(line, "VmPTE: %" SCNu64, &kilobytes) == 1)
            sum += kilobytes * 1024;
    }
    fclose(status);
    return sum;
}

uint64_t measure_random(uint64_t *state)
{
    uint64_t x = *state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * 0x2545F4914F6CDD1Du;
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

void measure_percentiles(const char *prefix, int64_t *samples, size_t count)
{
    WR_ASSERT(count > 0);
    qsort(samples, count, sizeof(*samples), compare);
    printf("%s_p50_us %.1f\n", prefix, (double)samples[count / 2] / 1e3);
    printf("%s_p99_us %.1f\n", prefix, (double)samples[count * 99 / 100] / 1e3);
    printf("%s_max_us %.1f\n", prefix, (double)samples[count - 1] / 1e3);
}
