// How a subject is measured and how its program is called: the same for every language, and the
// same as in Benchmarks/Measuring. A sample is as many operations as fill 25 ms, which a warm-up
// determines; the figure is the median of five.
//
//	--list                        every subject, a line each: ROW/LIBRARY
//	--subject NAME --least N      measures it; a sample has at least N operations
//	  --quick                     once and tiny
//	  --operations N              performs N operations and prints nothing
package main

import (
	"flag"
	"fmt"
	"os"
	"sort"
	"sync"
	"syscall"
	"time"
)

// A subject makes ready and returns what performs so many operations and comes back when all are done.
type subject struct {
	name    string
	prepare func() func(operations int)
}

const sample = 25 * time.Millisecond

func main() {
	list := flag.Bool("list", false, "")
	name := flag.String("subject", "", "")
	least := flag.Int("least", 16, "")
	quick := flag.Bool("quick", false, "")
	operations := flag.Int("operations", 0, "")
	flag.Parse()
	for _, subject := range subjects {
		if *list {
			fmt.Println(subject.name)
		} else if subject.name == *name {
			perform := subject.prepare()
			switch {
			case *operations > 0:
				perform(*operations)
			case *quick:
				measure(perform, 16, 1)
			default:
				measure(perform, calibrate(perform, *least), 5)
			}
			return
		}
	}
	if !*list {
		os.Exit(64)
	}
}

// The operations that fill a sample. Warms up on the way there.
func calibrate(perform func(int), least int) int {
	for operations := least; ; operations *= 4 {
		begin := time.Now()
		perform(operations)
		elapsed := time.Since(begin)
		if elapsed >= sample/4 {
			operations = max(least, int(float64(operations)*float64(sample)/float64(elapsed)))
			// A process that other work delays seems to need few operations, so they are tried.
			begin = time.Now()
			perform(operations)
			if time.Since(begin) >= sample/2 {
				return operations
			}
		}
	}
}

func measure(perform func(int), operations, samples int) {
	var times []float64
	before := processorTime()
	for i := 0; i < samples; i++ {
		begin := time.Now()
		perform(operations)
		times = append(times, float64(time.Since(begin).Nanoseconds())/float64(operations))
	}
	processor := float64(processorTime()-before) / float64(operations*samples)
	sort.Float64s(times)
	fmt.Printf("median=%f\tprocessor=%f\toperations=%d\n", times[samples/2], processor, operations)
}

// Of all threads, user and system, in nanoseconds.
func processorTime() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}

const batchSize = 10_000

// Splits operations into batches that are drained one after the other.
func inBatches(operations int, body func(batch int)) {
	for ; operations > 0; operations -= batchSize {
		body(min(operations, batchSize))
	}
}

// Runs body on so many goroutines, none of which begins before all are there.
func together(count int, body func(number int)) {
	var ready, done sync.WaitGroup
	start := make(chan struct{})
	ready.Add(count)
	done.Add(count)
	for i := 0; i < count; i++ {
		go func(number int) {
			ready.Done()
			<-start
			body(number)
			done.Done()
		}(i)
	}
	ready.Wait()
	close(start)
	done.Wait()
}

// Uses a value in a way that the compiler cannot remove.
//
//go:noinline
func consume(value int) {}

func min(a, b int) int {
	if a < b {
		return a
	}
	return b
}

func max(a, b int) int { return -min(-a, -b) }
