// Operation — one step of a thread, as its program asks for it.

/// An atomic location of a program.
struct Atomic: Sendable {
  let index: Int
}

/// A location without atomicity, whose races are found.
struct Plain: Sendable {
  let index: Int
}

/// What a read-modify-write makes of the value it finds.
enum Update: Sendable {
  case exchange(Int)
  case add(Int)
  case or(Int)
  case and(Int)
  case compareExchange(expected: Int, desired: Int, failure: Ordering)
  /// A loop of compare-exchanges, as one step. Where the function gives nil it
  /// ends with a load.
  case transform(@Sendable (Int) -> Int?, failure: Ordering)

  /// The value to be written, or nil if this only reads.
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

/// Which values a blocking read waits for.
enum Condition: Sendable {
  case equal(Int)
  case notEqual(Int)
  case bitSet(Int)
  case negative

  func holds(for value: Int) -> Bool {
    switch self {
    case .equal(let other): value == other
    case .notEqual(let other): value != other
    case .bitSet(let mask): value & mask != 0
    case .negative: value < 0
    }
  }
}

enum Operation: Sendable {
  case load(Atomic, Ordering)
  case store(Atomic, Int, Ordering)
  case update(Atomic, Update, Ordering)
  case fence(Ordering)
  /// A spin loop, as one step: reads a value for which the condition holds.
  case await(Atomic, Condition, Ordering)
  /// Spins until one of the conditions holds; the answer says which.
  case awaitEither(Atomic, Condition, Atomic, Condition, Ordering)
  /// Waits for the condition and updates, in one step: a lock, for instance.
  case awaitUpdate(Atomic, Condition, Update, Ordering)
  case readPlain(Plain)
  case writePlain(Plain, Int)
  case free(Atomic)
  /// Any number below the bound.
  case choose(Int)
  /// Compares what is left of the word after a shift: a half of it, for instance.
  case futexWait(Atomic, expected: Int, shift: Int, canTimeOut: Bool)
  case futexWake(Atomic, all: Bool)

  /// Whether this step commutes with every step of other threads, so that it
  /// need not be interleaved with them.
  var isLocal: Bool {
    switch self {
    case .readPlain, .writePlain, .free, .choose: true
    case .fence(let ordering): ordering != .sequentiallyConsistent
    default: false
    }
  }

  /// The atomic location this touches, if any.
  var location: Atomic? {
    switch self {
    case .load(let location, _), .store(let location, _, _), .update(let location, _, _),
      .await(let location, _, _), .awaitUpdate(let location, _, _, _),
      .futexWait(let location, _, _, _), .futexWake(let location, _), .free(let location):
      location
    case .awaitEither, .fence, .readPlain, .writePlain, .choose: nil
    }
  }
}

/// What a futex wait returned for.
enum WaitResult: Int, Sendable {
  case woken, valueDiffered, timedOut
}
