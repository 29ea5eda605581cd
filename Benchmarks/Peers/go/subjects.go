// The rows of Documentation/Peers.md on Go's scheduler, channels, timers and network poller, and
// on its package sync. Each states what one operation is where its name does not.
package main

import (
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

var subjects = []subject{
	{"serial/Go", serial},
	{"spawn/Go", spawn},
	{"spawn-inside/Go", spawnInside},
	{"hop/Go", hop},
	{"lock/Go", lock},
	{"lock-8-threads/Go", lockContended},
	{"rwlock-8-threads/Go", readWriteLock},
	{"timer/Go", timer},
	{"pipe/Go", pipe},
	{"parallel/Go", parallel},
	{"condition/Go", condition},
}

// One goroutine calls the functions that another sends. The channel holds a batch, so that the
// sender never waits.
func serial() func(int) {
	mailbox := make(chan func(), batchSize+1)
	done := make(chan struct{})
	go func() {
		for function := range mailbox {
			function()
		}
	}()
	return func(operations int) {
		inBatches(operations, func(batch int) {
			for i := 0; i < batch; i++ {
				number := i
				mailbox <- func() { consume(number) }
			}
			mailbox <- func() { done <- struct{}{} }
			<-done
		})
	}
}

// The main goroutine starts the others and waits.
func spawn() func(int) {
	var group sync.WaitGroup
	return func(operations int) {
		inBatches(operations, func(batch int) {
			start(batch, &group)
			group.Wait()
		})
	}
}

// A goroutine starts the others; the main one waits.
func spawnInside() func(int) {
	var group sync.WaitGroup
	return func(operations int) {
		inBatches(operations, func(batch int) {
			group.Add(1)
			go func() {
				start(batch, &group)
				group.Done()
			}()
			group.Wait()
		})
	}
}

func start(count int, group *sync.WaitGroup) {
	group.Add(count)
	for i := 0; i < count; i++ {
		number := i
		go func() {
			consume(number)
			group.Done()
		}()
	}
}

// A value from one goroutine to another and back.
func hop() func(int) {
	a, b, done := make(chan int), make(chan int), make(chan struct{})
	go func() {
		for left := range a {
			if left == 0 {
				done <- struct{}{}
			} else {
				b <- left - 1
			}
		}
	}()
	go func() {
		for left := range b {
			a <- left
		}
	}()
	return func(operations int) {
		a <- operations
		<-done
	}
}

var mutex sync.Mutex
var readWriteMutex sync.RWMutex
var tally int

func lock() func(int) {
	return func(operations int) {
		for i := 0; i < operations; i++ {
			mutex.Lock()
			tally++
			mutex.Unlock()
		}
	}
}

// Eight goroutines, not threads.
func lockContended() func(int) {
	return func(operations int) {
		together(8, func(int) { lock()((operations + 7) / 8) })
	}
}

// Eight goroutines, nine reads to a write; each of them is an operation.
func readWriteLock() func(int) {
	return func(operations int) {
		rounds := (operations + 79) / 80
		together(8, func(int) {
			for round := 0; round < rounds; round++ {
				for i := 0; i < 9; i++ {
					readWriteMutex.RLock()
					consume(tally)
					readWriteMutex.RUnlock()
				}
				readWriteMutex.Lock()
				tally++
				readWriteMutex.Unlock()
			}
		})
	}
}

func timer() func(int) {
	return func(operations int) {
		for i := 0; i < operations; i++ {
			number := i
			time.AfterFunc(10*time.Second, func() { consume(number) }).Stop()
		}
	}
}

// A byte to another goroutine through one pipe and back through another.
func pipe() func(int) {
	hereRead, thereWrite := makePipe()
	thereRead, hereWrite := makePipe()
	go func() {
		var byte [1]byte
		for {
			exchange(thereRead.Read(byte[:]))
			exchange(thereWrite.Write(byte[:]))
		}
	}()
	return func(operations int) {
		var byte [1]byte
		for i := 0; i < operations; i++ {
			exchange(hereWrite.Write(byte[:]))
			exchange(hereRead.Read(byte[:]))
		}
	}
}

func makePipe() (*os.File, *os.File) {
	input, output, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	return input, output
}

func exchange(length int, err error) {
	if length != 1 || err != nil {
		panic(err)
	}
}

// A thousand bodies of 2 µs, which as many goroutines as there are processors take by turns.
func parallel() func(int) {
	return func(operations int) {
		for i := 0; i < operations; i++ {
			var next int64
			var group sync.WaitGroup
			processors := runtime.GOMAXPROCS(0)
			group.Add(processors)
			for p := 0; p < processors; p++ {
				go func() {
					for atomic.AddInt64(&next, 1) <= 1_000 {
						compute(1_860)
					}
					group.Done()
				}()
			}
			group.Wait()
		}
	}
}

// So many steps that depend on one another.
func compute(steps uint64) {
	value := steps
	for ; steps != 0; steps-- {
		value = value*6364136223846793005 + 1442695040888963407
	}
	consume(int(value))
}

// A turn given from one thread to another.
func condition() func(int) {
	return func(operations int) {
		var mutex sync.Mutex
		condition := sync.NewCond(&mutex)
		turn, each := 0, (operations+1)/2
		together(2, func(own int) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			mutex.Lock()
			for i := 0; i < each; i++ {
				for turn&1 != own {
					condition.Wait()
				}
				turn++
				condition.Signal()
			}
			mutex.Unlock()
		})
	}
}
