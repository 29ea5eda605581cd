// ConditionModel — what the models of `NSCondition` and `NSConditionLock` share: a list of
// waiters in one plain number, and locks of which only the effect is modelled. The locks have
// models of their own (EL1, LS1). All words here are relaxed, as in the library.

/// A list of threads, numbered from 1, in one number. The lowest digit is the first thread.
struct ModelList {
  let digits: Plain

  func append(_ thread: Int, _ t: ModelThread) throws {
    let old = try t.read(digits)
    var place = 1
    while old / place > 0 { place *= 8 }
    try t.write(old + thread * place, to: digits)
  }

  func prepend(_ thread: Int, _ t: ModelThread) throws {
    try t.write(try t.read(digits) * 8 + thread, to: digits)
  }

  func removeFirst(_ t: ModelThread) throws -> Int? {
    let old = try t.read(digits)
    if old == 0 { return nil }
    try t.write(old / 8, to: digits)
    return old % 8
  }

  /// Returns whether the thread was in the list.
  func remove(_ thread: Int, _ t: ModelThread) throws -> Bool {
    let all = Self.threads(try t.read(digits))
    guard all.contains(thread) else { return false }
    try t.write(Self.number(all.filter { $0 != thread }), to: digits)
    return true
  }

  func isEmpty(_ t: ModelThread) throws -> Bool { try t.read(digits) == 0 }

  func threads(_ t: ModelThread) throws -> [Int] { Self.threads(try t.read(digits)) }

  private static func threads(_ number: Int) -> [Int] {
    var rest = number
    var threads: [Int] = []
    while rest > 0 {
      threads.append(rest % 8)
      rest /= 8
    }
    return threads
  }

  static func number(_ threads: [Int]) -> Int {
    threads.reversed().reduce(0) { $0 * 8 + $1 }
  }
}

/// The word that a waiter sleeps on. It is on the waiter's stack and is gone after the wait.
enum WaiterWord {
  static let asleep = 0, woken = 1
}
