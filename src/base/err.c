/* err.c - the error table, expanded. */
#include <weir/err.h>

#include <errno.h>

#include <weir/panic.h>

static const struct row {
    const char *name;
    const char *text;
    int http;
    bool retryable;
} rows[WR_ERR_COUNT] = {
#define X(code, name_, http_, retry_, text_) \
    [WR_##code] = { .name = name_, .text = text_, .http = http_, .retryable = retry_ },
    WR_ERR_TABLE(X)
#undef X
};

static const struct {
    int number;
    wr_err err;
} from_errno[] = {
    { 0,            WR_OK },
    { ENOMEM,       WR_NOMEM },
    { ENOBUFS,      WR_NOMEM },
    { EMFILE,       WR_NOFILE },
    { ENFILE,       WR_NOFILE },
    { ETIMEDOUT,    WR_TIMEOUT },
    { ETIME,        WR_TIMEOUT },
    { ECANCELED,    WR_CANCELED },
    { EAGAIN,       WR_BUSY },          /* EWOULDBLOCK is the same number on Linux */
    { EBUSY,        WR_BUSY },
    { EPIPE,        WR_BROKENPIPE },
    { ECONNRESET,   WR_BROKENPIPE },
    { ECONNABORTED, WR_BROKENPIPE },
    { ESHUTDOWN,    WR_BROKENPIPE },
    { EEXIST,       WR_EXISTS },
    { EADDRINUSE,   WR_EXISTS },
    { ENOENT,       WR_NOTFOUND },
    { ENOTDIR,      WR_NOTFOUND },
    { ESRCH,        WR_NOTFOUND },
    { EINVAL,       WR_INVALID },
    { ENAMETOOLONG, WR_INVALID },
    { ERANGE,       WR_INVALID },
    { EACCES,       WR_DENIED },
    { EPERM,        WR_DENIED },
    { EROFS,        WR_DENIED },
    { ENOSYS,       WR_UNSUPPORTED },
    { EOPNOTSUPP,   WR_UNSUPPORTED },   /* ENOTSUP is the same number on Linux */
    { EAFNOSUPPORT, WR_UNSUPPORTED },
    { EPROTONOSUPPORT, WR_UNSUPPORTED },
};

static const struct row *row_of(wr_err err)
{
    WR_ASSERT((unsigned)err < WR_ERR_COUNT);
    return &rows[err];
}

const char *wr_err_name(wr_err err)
{
    return row_of(err)->name;
}

const char *wr_err_text(wr_err err)
{
    return row_of(err)->text;
}

int wr_err_http(wr_err err)
{
    return row_of(err)->http;
}

bool wr_err_retryable(wr_err err)
{
    return row_of(err)->retryable;
}

wr_err wr_err_errno(int number)
{
    for (size_t i = 0; i < sizeof(from_errno) / sizeof(from_errno[0]); i++)
        if (from_errno[i].number == number)
            return from_errno[i].err;
    return WR_IO;
}
