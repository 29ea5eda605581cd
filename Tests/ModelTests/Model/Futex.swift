// Futex — what the kernel promises about wait queues.
//
// futex(2): comparing the word with the expected value and falling asleep are one atomic step,
// "totally ordered with respect to other futex operations on the same word". The kernel takes
// the lock of the word's queue for both calls. Therefore:
//
//   F1  a wait that comes after a wake sees at least what the waker knew of the word;
//   F2  a wake finds every wait that came before it.
//
// The model assumes nothing more: a wake orders nothing else, it wakes any of the sleepers, and
// a sleeper learns nothing from the wake-up. A waiter must read the word again. A stray thread
// that wakes once models spurious wake-ups.

extension Memory {
  /// The writes that the kernel may find when `thread` asks to sleep (F1).
  func readableByKernel(_ location: Int, for thread: Int) -> Range<Int> {
    Swift.max(
      threads[thread].current[location], kernel[location])..<atomics[location].messages.count
  }

  /// A waker takes the queue's lock, so later waits see what the waker knows (F1).
  mutating func tellKernel(_ location: Int, by thread: Int) {
    kernel[location] = Swift.max(kernel[location], threads[thread].current[location])
  }
}
