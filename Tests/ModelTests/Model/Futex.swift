// Futex — what the kernel promises about wait queues.
//
// futex(2): the comparison of the word with the expected value and the going to
// sleep are one atomic step, "totally ordered with respect to other futex
// operations on the same word". The kernel takes the lock of the word's queue for
// both calls. So
//
//   F1  a wait that comes after a wake sees at least what the waker knew of the word;
//   F2  a wait that comes before a wake is found by it.
//
// More is not assumed: a wake orders nothing else, wakes any of the sleepers, and the
// sleeper learns nothing from being woken. A waiter must look at the word again.
// Spurious wake-ups are modelled by a stray thread that wakes once.

extension Memory {
  /// The writes the kernel may find when `thread` asks to sleep (F1).
  func readableByKernel(_ location: Int, for thread: Int) -> Range<Int> {
    Swift.max(
      threads[thread].current[location], kernel[location])..<atomics[location].messages.count
  }

  /// A waker takes the queue's lock: later waits see what it knows (F1).
  mutating func tellKernel(_ location: Int, by thread: Int) {
    kernel[location] = Swift.max(kernel[location], threads[thread].current[location])
  }
}
