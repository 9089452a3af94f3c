// Spawn and join tiny goroutines, all at once and in waves of 1000: goroutines that never wait,
// and in waves also goroutines that wait once (Gosched). Each figure is taken warm: a tenth of
// the tasks runs first. usage: spawn [procs] [tasks]
package main

import (
	"fmt"
	"peers/measure"
	"runtime"
	"sync"
	"sync/atomic"
)

func waves(n, wave int, wait bool) {
	var sum atomic.Uint64
	var wg sync.WaitGroup
	for i := 0; i < n; {
		wg.Add(wave)
		for j := 0; j < wave; j++ {
			v := uint64(i)
			if wait {
				go func() {
					runtime.Gosched()
					sum.Add(v)
					wg.Done()
				}()
			} else {
				go func() {
					sum.Add(v)
					wg.Done()
				}()
			}
			i++
		}
		wg.Wait()
	}
	if sum.Load() != uint64(n)*uint64(n-1)/2 {
		panic("tasks lost")
	}
}

func main() {
	procs, n := measure.Arg(1, 2), measure.Arg(2, 1000000)
	runtime.GOMAXPROCS(procs)
	for _, w := range []struct {
		name string
		wave int
		wait bool
	}{{"all", n, false}, {"waves", 1000, false}, {"wait_waves", 1000, true}} {
		warm := n / 10
		if w.wave > warm {
			waves(warm, warm, w.wait)
		} else {
			waves(warm, w.wave, w.wait)
		}
		elapsed := measure.Stopwatch(procs)
		waves(n, w.wave, w.wait)
		rate := float64(n) / elapsed().Seconds()
		fmt.Printf("go_spawn_%s_t%d_per_s %.0f\n", w.name, procs, rate)
	}
}
