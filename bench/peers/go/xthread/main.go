// A handoff that must cross threads: both goroutines are locked to their own OS thread, with
// GOMAXPROCS=2. usage: xthread [round trips]
package main

import (
	"fmt"
	"peers/measure"
	"runtime"
	"time"
)

func main() {
	n := measure.Arg(1, 20000)
	runtime.GOMAXPROCS(2)
	a, b := make(chan uint64, 1), make(chan uint64, 1)
	go func() {
		runtime.LockOSThread()
		for v := range a {
			b <- v + 1
		}
	}()
	runtime.LockOSThread()
	t := time.Now()
	v := uint64(0)
	for i := 0; i < n; i++ {
		a <- v
		v = <-b
	}
	fmt.Printf("go_xthread_ns %.0f\n", float64(time.Since(t).Nanoseconds())/float64(2*n))
}
