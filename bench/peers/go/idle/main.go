// Bytes per goroutine parked on a channel receive, page tables included. usage: idle [tasks]
package main

import (
	"fmt"
	"os"
	"peers/measure"
	"runtime"
	"sync/atomic"
	"time"
)

func main() {
	n := measure.Arg(1, 100000)
	runtime.GOMAXPROCS(2)
	park := make(chan bool)
	var parked atomic.Int64
	before := measure.Memory()
	for i := 0; i < n; i++ {
		go func() {
			parked.Add(1)
			<-park
		}()
	}
	for parked.Load() < int64(n) {
		time.Sleep(5 * time.Millisecond)
	}
	time.Sleep(50 * time.Millisecond)
	fmt.Printf("go_idle_%d_bytes %.1f\n", n, float64(measure.Memory()-before)/float64(n))
	os.Exit(0)
}
