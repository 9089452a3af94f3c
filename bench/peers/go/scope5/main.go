// A race of five goroutines: four wait for an answer that does not come, the fifth has one; the
// rest are cancelled and all five are joined. ns per race. usage: scope5 [races]
package main

import (
	"context"
	"fmt"
	"peers/measure"
	"runtime"
	"sync"
)

func race(parent context.Context, never chan uint64) uint64 {
	ctx, cancel := context.WithCancel(parent)
	defer cancel()
	var wg sync.WaitGroup
	wg.Add(5)
	won := make(chan uint64, 1)
	for i := uint64(0); i < 5; i++ {
		go func(i uint64) {
			defer wg.Done()
			if i < 4 {
				select {
				case <-never:
				case <-ctx.Done():
				}
				return
			}
			runtime.Gosched() // the others wait by now
			won <- i
			cancel()
		}(i)
	}
	v := <-won
	wg.Wait()
	return v
}

func main() {
	n := measure.Arg(1, 100000)
	runtime.GOMAXPROCS(1)
	never := make(chan uint64)
	run := func(n int) {
		for i := 0; i < n; i++ {
			if race(context.Background(), never) != 4 {
				panic("wrong winner")
			}
		}
	}
	run(n / 10)
	elapsed := measure.Stopwatch(1)
	run(n)
	fmt.Printf("go_scope5_ns %.0f\n", float64(elapsed().Nanoseconds())/float64(n))
}
