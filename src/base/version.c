/* version.c - what this is: see version.h.  The revision is that of the sources, and
 * its time theirs: the same sources make the same program. */
#include "base/version.h"

#include "revision.h"

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

#if defined(__x86_64__)
#define PROCESSOR "x86-64"
#elif defined(__aarch64__)
#define PROCESSOR "aarch64"
#endif

const struct wr_version wr_version = {
    .version = WEIR_VERSION,
    .revision = WEIR_REVISION,
    .made = WEIR_REVISION_MADE,
    .compiler = COMPILER,
    .processor = PROCESSOR,
};

void wr_version_write(struct wr_json *json)
{
    wr_json_str(json, "service", "weir");
    wr_json_str(json, "version", wr_version.version);
    wr_json_str(json, "git_sha", wr_version.revision);
    wr_json_str(json, "build_ts", wr_version.made);
    wr_json_str(json, "compiler", wr_version.compiler);
    wr_json_str(json, "processor", wr_version.processor);
    wr_json_object(json, "api");
    wr_json_str(json, "http", "v1");
    wr_json_end(json);
}
