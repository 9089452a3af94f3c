// Processor time of a process in which nothing happens: 1000 parked goroutines, no timer but
// the one that ends it. usage: idlecpu [seconds]
package main

import (
	"fmt"
	"peers/measure"
	"runtime"
	"time"
)

func main() {
	seconds := measure.Arg(1, 5)
	runtime.GOMAXPROCS(2)
	park := make(chan bool)
	for i := 0; i < 1000; i++ {
		go func() { <-park }()
	}
	time.Sleep(200 * time.Millisecond)
	before := measure.CPUms()
	time.Sleep(time.Duration(seconds) * time.Second)
	fmt.Printf("go_idlecpu_percent %.4f\n", (measure.CPUms()-before)/float64(seconds)/10)
}
