// Threads — threads whose begin and end ThreadSanitizer sees, and ways to bring them together in
// time that order nothing. Their atomics are relaxed, so that only the hand-off under test carries
// what a thread wrote.

import Glibc
import Synchronization

/// Non-atomic memory. It is never freed, because the program is short.
// SAFETY: the hand-off under test keeps its users apart.
struct Plain: @unchecked Sendable {
  private let memory = UnsafeMutablePointer<Int>.allocate(capacity: 1)

  init() { memory.initialize(to: 0) }

  var value: Int {
    get { memory.pointee }
    nonmutating set { memory.pointee = newValue }
  }
}

/// Runs each body on a thread of its own, and joins them all.
func together(_ bodies: [@Sendable () -> Void]) {
  final class Start {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  let threads = bodies.map { body in
    var thread = pthread_t()
    // SAFETY: released by the thread.
    let start = Unmanaged.passRetained(Start(body)).toOpaque()
    let result = pthread_create(
      &thread, nil,
      { context in
        // SAFETY: retained above.
        Unmanaged<Start>.fromOpaque(context!).takeRetainedValue().body()
        return nil
      }, start)
    if result != 0 { fatal("pthread_create: \(result)") }
    return thread
  }
  for thread in threads { pthread_join(thread, nil) }
}

func together(_ bodies: @Sendable () -> Void...) { together(bodies) }

/// A number that only grows, by which threads take turns. It orders nothing.
final class Turns: Sendable {
  private let turn = Atomic<Int>(0)

  var now: Int { turn.load(ordering: .relaxed) }

  func await(_ number: Int) { while now < number { sched_yield() } }

  func end() { turn.add(1, ordering: .relaxed) }

  /// Waits for turn `number`, runs the body and ends the turn.
  func take(_ number: Int, _ body: () -> Void) {
    self.await(number)
    body()
    end()
  }
}

/// Stays busy for some microseconds, so that the other thread finds this one at work:
/// immediately, while it spins, or after it has fallen asleep.
func work(_ round: Int) {
  let lengths: [UInt64] = [0, 3, 20, 300]
  let end = microseconds() + lengths[round % lengths.count]
  while microseconds() < end {}
}

func microseconds() -> UInt64 {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1000
}
