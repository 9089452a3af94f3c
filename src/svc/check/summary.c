/* summary.c - a report in a few numbers. */
#include "svc/check/report.h"
#include "svc/check/rule.h"

struct check_summary check_summarise(const struct check_report *report)
{
    struct check_summary summary = { .total = (uint32_t)report->count };
    if (report->unjudged)
        return summary;
    for (size_t i = 0; i < report->count; i++) {
        const struct bib_verdict *verdict = &report->findings[i].verdict;
        summary.outcomes[verdict->outcome]++;
        for (unsigned flag = 0; flag < BIB_FLAG_COUNT; flag++)
            summary.flags[flag] += verdict->flags >> flag & 1;
        summary.detected += bib_verdict_detects(verdict);
        enum check_level level = check_level(verdict);
        summary.attention += level >= CHECK_WARNING;
        summary.noted += level == CHECK_NOTE && verdict->outcome == BIB_VERIFIED;
    }
    return summary;
}
