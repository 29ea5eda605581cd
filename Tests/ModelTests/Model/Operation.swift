// Operation — one step of a thread, as its program requests it.

/// An atomic location of a program.
struct Atomic: Sendable {
  let index: Int
}

/// A non-atomic location; the model detects races on it.
struct Plain: Sendable {
  let index: Int
}

/// What a read-modify-write does with the value it finds.
enum Update: Sendable {
  case exchange(Int)
  case add(Int)
  case or(Int)
  case and(Int)
  case compareExchange(expected: Int, desired: Int, failure: Ordering)
  /// A loop of compare-exchanges, as one step. If the function returns nil, the loop ends with
  /// a load.
  case transform(@Sendable (Int) -> Int?, failure: Ordering)

  /// The value to write, or nil if the operation only reads.
  func result(of value: Int) -> Int? {
    switch self {
    case .exchange(let new): new
    case .add(let addend): value &+ addend
    case .or(let mask): value | mask
    case .and(let mask): value & mask
    case .compareExchange(let expected, let desired, _): value == expected ? desired : nil
    case .transform(let decide, _): decide(value)
    }
  }

  /// The ordering of the load if nothing is written.
  var failure: Ordering {
    switch self {
    case .compareExchange(_, _, let failure), .transform(_, let failure): failure
    case .exchange, .add, .or, .and: .relaxed
    }
  }
}

/// The values that a blocking read waits for.
enum Condition: Sendable {
  case equal(Int)
  case notEqual(Int)
  case bitSet(Int)
  case negative
  case below(Int)

  func holds(for value: Int) -> Bool {
    switch self {
    case .equal(let other): value == other
    case .notEqual(let other): value != other
    case .bitSet(let mask): value & mask != 0
    case .negative: value < 0
    case .below(let bound): value < bound
    }
  }
}

enum Operation: Sendable {
  case load(Atomic, Ordering)
  case store(Atomic, Int, Ordering)
  case update(Atomic, Update, Ordering)
  case fence(Ordering)
  /// A spin loop as one step: reads a value that meets the condition.
  case await(Atomic, Condition, Ordering)
  /// Spins until one of the conditions holds; the answer says which.
  case awaitEither(Atomic, Condition, Atomic, Condition, Ordering)
  /// Waits for the condition and updates in one step, like a lock.
  case awaitUpdate(Atomic, Condition, Update, Ordering)
  case readPlain(Plain)
  case writePlain(Plain, Int)
  case free(Atomic)
  /// Any number below the bound.
  case choose(Int)
  case futexWait(FutexWord, expected: Int, canTimeOut: Bool)
  case futexWake(FutexWord, all: Bool)

  /// Whether this step commutes with every step of other threads, so that the explorer need not
  /// interleave it with them.
  var isLocal: Bool {
    switch self {
    case .readPlain, .writePlain, .free, .choose: true
    case .fence(let ordering): ordering != .sequentiallyConsistent
    default: false
    }
  }

  /// The atomic location that this operation touches, if any.
  var location: Atomic? {
    switch self {
    case .load(let location, _), .store(let location, _, _), .update(let location, _, _),
      .await(let location, _, _), .awaitUpdate(let location, _, _, _), .free(let location):
      location
    case .futexWait(let word, _, _), .futexWake(let word, _): word.location
    case .awaitEither, .fence, .readPlain, .writePlain, .choose: nil
    }
  }
}

/// Why a futex wait returned.
enum WaitResult: Int, Sendable {
  case woken, valueDiffered, timedOut
}
