// ModelThread — a thread's interface to the model.
//
// A thread is ordinary Swift code that asks this object for each access to
// memory. The explorer cannot freeze a Swift stack while it tries other threads. Instead, it
// runs the code again from the start of the current section, answers the decided operations
// from the record, and throws an error at the first undecided operation to stop the code. Code
// between operations must therefore depend on the answers alone.
//
// Sections    a thread is a sequence of sections; the record is dropped at the end of each.
//             Two executions that reach the same section with the same memory are then one
//             state: cut long threads into sections.

/// Stops a thread's code at an operation that is still to be executed.
private struct Suspension: Error {}

/// One thread of a program, while its code runs.
final class ModelThread {
  typealias Section = @Sendable (ModelThread) throws -> Void

  /// The result of running the code to the end of the record.
  enum Progress {
    case suspended(Operation)
    case sectionEnded
    case violated(String)
  }

  private var record: [Int] = []
  private var cursor = 0
  private var next: Operation?
  private var violation: String?
  private(set) var observations: [Int] = []

  func run(_ section: Section, record: [Int]) -> Progress {
    self.record = record
    cursor = 0
    next = nil
    violation = nil
    observations = []
    do {
      try section(self)
    } catch {
      if let violation { return .violated(violation) }
      guard error is Suspension, let next else { return .violated("threw \(error)") }
      return .suspended(next)
    }
    return .sectionEnded
  }

  private func perform(_ operation: Operation) throws -> Int {
    if cursor < record.count {
      cursor += 1
      return record[cursor - 1]
    }
    next = operation
    throw Suspension()
  }
}

// MARK: - Atomic locations

extension ModelThread {
  func load(_ location: Atomic, _ ordering: Ordering) throws -> Int {
    try perform(.load(location, ordering))
  }

  func store(_ value: Int, to location: Atomic, _ ordering: Ordering) throws {
    _ = try perform(.store(location, value, ordering))
  }

  @discardableResult
  func exchange(_ location: Atomic, _ value: Int, _ ordering: Ordering) throws -> Int {
    try perform(.update(location, .exchange(value), ordering))
  }

  /// Returns the previous value.
  @discardableResult
  func fetchAdd(_ location: Atomic, _ addend: Int, _ ordering: Ordering) throws -> Int {
    try perform(.update(location, .add(addend), ordering))
  }

  /// Returns the previous value.
  @discardableResult
  func fetchOr(_ location: Atomic, _ mask: Int, _ ordering: Ordering) throws -> Int {
    try perform(.update(location, .or(mask), ordering))
  }

  /// Returns the previous value.
  @discardableResult
  func fetchAnd(_ location: Atomic, _ mask: Int, _ ordering: Ordering) throws -> Int {
    try perform(.update(location, .and(mask), ordering))
  }

  /// Never fails spuriously. Unless you give a failure ordering, it is the success ordering as
  /// far as a load can have it.
  func compareExchange(
    _ location: Atomic, expected: Int, desired: Int, _ ordering: Ordering,
    failure: Ordering? = nil
  ) throws -> (exchanged: Bool, original: Int) {
    let original = try perform(
      .update(
        location,
        .compareExchange(
          expected: expected, desired: desired, failure: failure ?? ordering.ofLoad),
        ordering))
    return (original == expected, original)
  }

  /// Replaces the value with the result of `decide`, as a loop of compare-exchanges does. If the
  /// result is nil, the loop ends without a write. Returns the last value found.
  ///
  /// This is one step, because a failed round tells the thread nothing that a later round does
  /// not.
  @discardableResult
  func transform(
    _ location: Atomic, _ ordering: Ordering, failure: Ordering = .relaxed,
    _ decide: @escaping @Sendable (Int) -> Int?
  ) throws -> Int {
    try perform(.update(location, .transform(decide, failure: failure), ordering))
  }

  /// Waits until the location holds `expected`, and replaces it in the same step.
  func awaitExchange(
    _ location: Atomic, _ expected: Int, _ value: Int, _ ordering: Ordering
  ) throws {
    try awaitUpdate(location, .equal(expected), .exchange(value), ordering)
  }

  /// Waits until the location holds a value that meets the condition, and updates it in the same
  /// step. Returns the previous value.
  @discardableResult
  func awaitUpdate(
    _ location: Atomic, _ condition: Condition, _ update: Update, _ ordering: Ordering
  ) throws -> Int {
    try perform(.awaitUpdate(location, condition, update, ordering))
  }

  func fence(_ ordering: Ordering) throws {
    _ = try perform(.fence(ordering))
  }

  /// Spins until the location holds a value that meets the condition.
  @discardableResult
  func await(_ location: Atomic, _ condition: Condition, _ ordering: Ordering) throws -> Int {
    try perform(.await(location, condition, ordering))
  }

  /// Spins until one of two locations holds a value that meets its condition. Neither location
  /// may be mortal. Returns whether it was the first one.
  func awaitEither(
    _ first: Atomic, _ condition: Condition, or second: Atomic, _ otherCondition: Condition,
    _ ordering: Ordering
  ) throws -> Bool {
    try perform(.awaitEither(first, condition, second, otherCondition, ordering)) == 0
  }

  /// A lock that models only the effect: waits until the lock is free and takes it.
  func lock(_ location: Atomic) throws {
    try awaitExchange(location, 0, 1, .acquire)
  }

  func unlock(_ location: Atomic) throws {
    try store(0, to: location, .release)
  }

  func withLock(_ location: Atomic, _ body: () throws -> Void) throws {
    try lock(location)
    try body()
    try unlock(location)
  }

  /// Ends the life of a mortal location.
  func free(_ location: Atomic) throws {
    _ = try perform(.free(location))
  }
}

// MARK: - Plain locations

extension ModelThread {
  func read(_ location: Plain) throws -> Int {
    try perform(.readPlain(location))
  }

  func write(_ value: Int, to location: Plain) throws {
    _ = try perform(.writePlain(location, value))
  }
}

// MARK: - The kernel

extension ModelThread {
  /// Sleeps until woken if the word holds `expected`.
  @discardableResult
  func futexWait(
    _ word: FutexWord, expected: Int, canTimeOut: Bool = false
  ) throws -> WaitResult {
    let result = try perform(.futexWait(word, expected: expected, canTimeOut: canTimeOut))
    return WaitResult(rawValue: result)!
  }

  @discardableResult
  func futexWait(
    _ location: Atomic, expected: Int, canTimeOut: Bool = false
  ) throws -> WaitResult {
    try futexWait(.whole(location), expected: expected, canTimeOut: canTimeOut)
  }

  /// Wakes one sleeper or all of them. Returns the number.
  @discardableResult
  func futexWake(_ word: FutexWord, all: Bool = false) throws -> Int {
    try perform(.futexWake(word, all: all))
  }

  @discardableResult
  func futexWake(_ location: Atomic, all: Bool = false) throws -> Int {
    try futexWake(.whole(location), all: all)
  }
}

// MARK: - The test

extension ModelThread {
  /// Returns a number below `bound`; the explorer tries each.
  func choose(below bound: Int) throws -> Int {
    try perform(.choose(bound))
  }

  /// Adds values to the outcome of the execution.
  func observe(_ values: Int...) {
    observations += values
  }

  /// Fails the program if the condition does not hold.
  func require(_ condition: Bool, _ what: @autoclosure () -> String) throws {
    if condition { return }
    violation = what()
    throw Suspension()
  }
}
