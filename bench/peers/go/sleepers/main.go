// n goroutines sleeping until random instants in a one-second window: lateness and CPU time.
// usage: sleepers [procs] [n]
package main

import (
	"fmt"
	"peers/measure"
	"runtime"
	"sync"
	"time"
)

func main() {
	procs, n := measure.Arg(1, 2), measure.Arg(2, 100000)
	runtime.GOMAXPROCS(procs)
	rng := measure.Rng(88172645463325252)
	late := make([]int64, n)
	base := time.Now().Add(500 * time.Millisecond)
	var wg sync.WaitGroup
	wg.Add(n)
	for i := 0; i < n; i++ {
		at, slot := base.Add(time.Duration(rng.Next()%1000000000)), &late[i]
		go func() {
			time.Sleep(time.Until(at))
			*slot = time.Since(at).Nanoseconds()
			wg.Done()
		}()
	}
	wg.Wait()
	fmt.Printf("go_sleepers_t%d_cpu_ms %.1f\n", procs, measure.CPUms())
	measure.Percentiles(fmt.Sprintf("go_sleepers_t%d_late", procs), late)
}
