// Arm n timers with deadlines spread over 1..61 s, then cancel all of them.
// usage: timers [procs] [n]
package main

import (
	"fmt"
	"peers/measure"
	"runtime"
	"time"
)

func main() {
	procs, n := measure.Arg(1, 1), measure.Arg(2, 1000000)
	runtime.GOMAXPROCS(procs)
	rng := measure.Rng(88172645463325252)
	v := make([]*time.Timer, 0, n)
	elapsed := measure.Stopwatch(procs)
	for i := 0; i < n; i++ {
		after := time.Duration(1000000+rng.Next()%60000000) * time.Microsecond
		v = append(v, time.AfterFunc(after, func() {}))
	}
	armed := elapsed()
	for _, x := range v {
		if !x.Stop() {
			panic("fired")
		}
	}
	cancelled := elapsed() - armed
	per := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / float64(n) }
	fmt.Printf("go_timer_arm_ns %.1f\n", per(armed))
	fmt.Printf("go_timer_cancel_ns %.1f\n", per(cancelled))
	fmt.Printf("go_timer_ns %.1f\n", per(armed+cancelled))
}
