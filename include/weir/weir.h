/* weir.h - all of it.  Each header can also be included alone. */
#ifndef WEIR_WEIR_H
#define WEIR_WEIR_H

#include <weir/addr.h>
#include <weir/ask.h>
#include <weir/bcast.h>
#include <weir/breaker.h>
#include <weir/bucket.h>
#include <weir/bytes.h>
#include <weir/cache.h>
#include <weir/cell.h>
#include <weir/chan.h>
#include <weir/err.h>
#include <weir/fd.h>
#include <weir/fetch.h>
#include <weir/file.h>
#include <weir/gather.h>
#include <weir/hedge.h>
#include <weir/http.h>
#include <weir/limiter.h>
#include <weir/lock.h>
#include <weir/log.h>
#include <weir/manager.h>
#include <weir/metric.h>
#include <weir/offload.h>
#include <weir/once.h>
#include <weir/panic.h>
#include <weir/retry.h>
#include <weir/run.h>
#include <weir/scope.h>
#include <weir/secret.h>
#include <weir/select.h>
#include <weir/sem.h>
#include <weir/shed.h>
#include <weir/signal.h>
#include <weir/sim.h>
#include <weir/sse.h>
#include <weir/stream.h>
#include <weir/sup.h>
#include <weir/task.h>
#include <weir/time.h>
#include <weir/timer.h>
#include <weir/tls.h>
#include <weir/topo.h>
#include <weir/watch.h>

#endif
