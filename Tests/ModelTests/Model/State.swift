// State — one point of an execution: the position of each thread, and memory.

/// The position of a thread.
struct ThreadState {
  enum Status: Equatable {
    case running
    /// Asleep in the kernel in the queue with this number.
    case asleep(Int)
    case finished
  }

  var section = 0
  /// The answers that the code of this section has received.
  var record: [Int] = []
  var status = Status.running
  /// The operation to be executed next.
  var next: Operation?
  /// The observations of the earlier sections, then those of this one.
  var pastObservations: [Int] = []
  var observations: [Int] = []
}

/// A state of the program.
struct State {
  var threads: [ThreadState]
  var memory: Memory

  init(of program: Program) {
    threads = program.threads.map { _ in ThreadState() }
    memory = Memory(
      atomics: program.atomics.map {
        AtomicState(messages: [Message(value: $0.initial)], isMortal: $0.isMortal)
      },
      plains: program.plains.map { PlainState(value: $0.initial) },
      threads: program.threads.count)
  }

  func append(to key: inout [UInt64]) {
    for thread in threads {
      switch thread.status {
      case .running: key.append(UInt64(thread.section) &<< 8)
      case .asleep(let queue): key.append(UInt64(thread.section) &<< 8 | UInt64(queue) &+ 1)
      case .finished: key.append(.max)
      }
      append(thread.record, to: &key)
      append(thread.pastObservations, to: &key)
    }
    memory.append(to: &key)
  }

  private func append(_ values: [Int], to key: inout [UInt64]) {
    key.append(UInt64(values.count))
    for value in values { key.append(UInt64(bitPattern: Int64(value))) }
  }
}

/// Represents a state in the set of known states.
///
/// It has two hashes with different prefixes, 128 bits in total. Two of a million states collide
/// with a probability below 10⁻²⁶, and the states themselves would fill the memory.
struct Fingerprint: Hashable {
  private let first: Int
  private let second: Int

  init(_ key: [UInt64]) {
    (first, second) = key.withUnsafeBytes { bytes in
      var hasher = Hasher()
      hasher.combine(bytes: bytes)
      let first = hasher.finalize()
      hasher = Hasher()
      hasher.combine(1 as UInt8)
      hasher.combine(bytes: bytes)
      return (first, hasher.finalize())
    }
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(first)
  }
}
