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
	report := func(name string, t time.Time) {
		ns := float64(time.Since(t).Nanoseconds()) / float64(2*n)
		fmt.Printf("go_%s_t%d_ns %.1f\n", name, procs, ns)
	}
	for capacity, name := range []string{"pingpong_cap0", "pingpong"} {
		a, b := make(chan uint64, capacity), make(chan uint64, capacity)
		t := time.Now()
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
		report(name, t)
	}
	var wg sync.WaitGroup
	wg.Add(2)
	t := time.Now()
	for i := 0; i < 2; i++ {
		go func() {
			for i := 0; i < n; i++ {
				runtime.Gosched()
			}
			wg.Done()
		}()
	}
	wg.Wait()
	report("yield", t)
}
