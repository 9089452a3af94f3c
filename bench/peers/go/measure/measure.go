// Package measure holds what the programs share. Each program prints lines "metric value".
package measure

import (
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Arg is the n-th command-line argument as a number.
func Arg(n, def int) int {
	if len(os.Args) > n {
		v, err := strconv.Atoi(os.Args[n])
		if err != nil {
			panic(err)
		}
		return v
	}
	return def
}

// Memory is what this process occupies, in bytes: its resident set and its page tables.
func Memory() int {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		panic(err)
	}
	kb := 0
	for _, line := range strings.Split(string(b), "\n") {
		if strings.HasPrefix(line, "VmRSS:") || strings.HasPrefix(line, "VmPTE:") {
			v, _ := strconv.Atoi(strings.Fields(line)[1])
			kb += v
		}
	}
	return kb * 1024
}

// CPUms is the user plus system time of this process.
func CPUms() float64 {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	ms := func(t syscall.Timeval) float64 { return float64(t.Sec)*1e3 + float64(t.Usec)/1e3 }
	return ms(u.Utime) + ms(u.Stime)
}

// Stopwatch starts one and returns how to read it. With one processor it counts processor time,
// which other programs on the machine do not change; with more, real time.
func Stopwatch(procs int) func() time.Duration {
	if procs > 1 {
		t := time.Now()
		return func() time.Duration { return time.Since(t) }
	}
	t := CPUms()
	return func() time.Duration { return time.Duration((CPUms() - t) * 1e6) }
}

// Rng is xorshift64*: the same generator in every language of the suite.
type Rng uint64

// Next is the next number of the sequence.
func (r *Rng) Next() uint64 {
	x := uint64(*r)
	x ^= x >> 12
	x ^= x << 25
	x ^= x >> 27
	*r = Rng(x)
	return x * 0x2545F4914F6CDD1D
}

// Percentiles prints p50, p99 and the maximum of nanosecond samples.
func Percentiles(prefix string, v []int64) {
	sort.Slice(v, func(i, j int) bool { return v[i] < v[j] })
	at := func(p float64) float64 {
		i := int(float64(len(v)) * p)
		if i >= len(v) {
			i = len(v) - 1
		}
		return float64(v[i]) / 1000
	}
	fmt.Printf("%s_p50_us %.1f\n", prefix, at(0.50))
	fmt.Printf("%s_p99_us %.1f\n", prefix, at(0.99))
	fmt.Printf("%s_max_us %.1f\n", prefix, at(1))
}
