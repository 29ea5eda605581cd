// Futex — what the kernel promises about wait queues.
//
// futex(2): comparing the word with the expected value and falling asleep are one atomic step,
// "totally ordered with respect to other futex operations on the same word". The kernel takes
// the lock of the word's queue for both calls. Therefore:
//
//   F1  a wait that comes after a wake sees at least what the waker knew of the word;
//   F2  a wake finds every wait that came before it.
//
// The two halves of a location are two words: each has an address and a queue of its own.
//
// The model assumes nothing more: a wake orders nothing else, it wakes any of the sleepers, and
// a sleeper learns nothing from the wake-up. A waiter must read the word again. A stray thread
// that wakes once models spurious wake-ups.

/// The word of the kernel's that a wait compares: a location, or one half of it.
struct FutexWord: Sendable {
  let location: Atomic
  private let bits: Bits

  private enum Bits: Sendable { case all, lower(Int), upper(Int) }

  static func whole(_ location: Atomic) -> Self { Self(location: location, bits: .all) }

  /// The bits below `count`.
  static func lower(_ count: Int, of location: Atomic) -> Self {
    Self(location: location, bits: .lower(count))
  }

  /// The bits from `first` on.
  static func upper(from first: Int, of location: Atomic) -> Self {
    Self(location: location, bits: .upper(first))
  }

  func value(in contents: Int) -> Int {
    switch bits {
    case .all: contents
    case .lower(let count): contents & ((1 << count) - 1)
    case .upper(let first): contents >> first
    }
  }

  var isUpper: Bool { if case .upper = bits { true } else { false } }

  /// The queue's number, which is below twice the number of locations.
  var queue: Int { location.index + (isUpper ? View.maximumLocations : 0) }
}

extension Memory {
  /// The writes that the kernel may find when `thread` asks to sleep (F1).
  func readableByKernel(_ word: FutexWord, for thread: Int) -> Range<Int> {
    let location = word.location.index
    let told = (word.isUpper ? kernelOfUppers : kernel)[location]
    return Swift.max(threads[thread].current[location], told)..<atomics[location].messages.count
  }

  /// A waker takes the queue's lock, so later waits see what the waker knows (F1).
  mutating func tellKernel(_ word: FutexWord, by thread: Int) {
    let location = word.location.index
    let known = threads[thread].current[location]
    if word.isUpper {
      kernelOfUppers[location] = Swift.max(kernelOfUppers[location], known)
    } else {
      kernel[location] = Swift.max(kernel[location], known)
    }
  }
}
