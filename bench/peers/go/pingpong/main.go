// Two goroutines bounce a message over two channels; ns per one-way handoff.
// usage: pingpong [procs] [round trips]
package main

import (
	"fmt"
	"peers/measure"
	"runtime"
	"sync"
	"time"
)

func main() {
	procs, n := measure.Arg(1, 1), measure.Arg(2, 1000000)
	runtime.GOMAXPROCS(procs)
	report := func(name string, took time.Duration) {
		ns := float64(took.Nanoseconds()) / float64(2*n)
		fmt.Printf("go_%s_t%d_ns %.1f\n", name, procs, ns)
	}
	for capacity, name := range []string{"pingpong_cap0", "pingpong"} {
		a, b := make(chan uint64, capacity), make(chan uint64, capacity)
		elapsed := measure.Stopwatch(procs)
		go func() {
			for v := range a {
				b <- v + 1
			}
		}()
		v := uint64(0)
		for i := 0; i < n; i++ {
			a <- v
			v = <-b
		}
		close(a)
		report(name, elapsed())
	}
	var wg sync.WaitGroup
	wg.Add(2)
	elapsed := measure.Stopwatch(procs)
	for i := 0; i < 2; i++ {
		go func() {
			for i := 0; i < n; i++ {
				runtime.Gosched()
			}
			wg.Done()
		}()
	}
	wg.Wait()
	report("yield", elapsed())
}
