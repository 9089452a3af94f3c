// Bounded channels of capacity 512: messages per second. usage: chan [procs] [messages]
package main

import (
	"fmt"
	"peers/measure"
	"runtime"
	"time"
)

const capacity = 512

type word = uint64
type block = [8]uint64

func run[M any](size, p, c, n int, mk func(uint64) M, get func(*M) uint64) {
	ch := make(chan M, capacity)
	done, sums := make(chan bool), make(chan uint64)
	per := n / p
	t := time.Now()
	for i := 0; i < p; i++ {
		go func() {
			for i := 0; i < per; i++ {
				ch <- mk(uint64(i))
			}
			done <- true
		}()
	}
	for i := 0; i < c; i++ {
		go func() {
			s := uint64(0)
			for m := range ch {
				s += get(&m)
			}
			sums <- s
		}()
	}
	for i := 0; i < p; i++ {
		<-done
	}
	close(ch)
	s := uint64(0)
	for i := 0; i < c; i++ {
		s += <-sums
	}
	if s != uint64(p)*uint64(per)*uint64(per-1)/2 {
		panic("messages lost")
	}
	rate := float64(n) / time.Since(t).Seconds()
	fmt.Printf("go_chan_%dp%dc_%dB_per_s %.0f\n", p, c, size, rate)
}

func main() {
	procs, n := measure.Arg(1, 2), measure.Arg(2, 4000000)
	runtime.GOMAXPROCS(procs)
	for _, pc := range [][2]int{{1, 1}, {4, 1}, {4, 4}} {
		run(8, pc[0], pc[1], n,
			func(v uint64) word { return v },
			func(m *word) uint64 { return *m })
		run(64, pc[0], pc[1], n,
			func(v uint64) block { return block{v, v, v, v, v, v, v, v} },
			func(m *block) uint64 { return m[7] })
	}
}
