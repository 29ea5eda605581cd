// LockStressTests — NSLock and the unfair family have one holder, however they are taken; no
// thread sleeps forever; a thread that gives up does not hold the lock.

import SignalboxDispatch
import SignalboxLocks
import SignalboxTestSupport
import Testing

let lockSubjects = [
  Subject("an NSLock has one holder, taken in every way, by up to 64 threads") {
    let lock = NSLock()
    try exclude(&$0, { take(lock, &$0) }, { lock.unlock() })
  },
  Subject("an UnfairLock has one holder, taken in every way, by up to 64 threads") {
    final class Holder: Sendable { let lock = UnfairLock() }
    let holder = Holder()
    try exclude(
      &$0, { $0.takes(orTry: { holder.lock.tryLock() }, { holder.lock.lock() }) },
      { holder.lock.unlock() })
  },
  Subject("an OSAllocatedUnfairLock has one holder, taken in every way, by up to 64 threads") {
    let lock = OSAllocatedUnfairLock()
    try exclude(
      &$0, { $0.takes(orTry: { lock.lockIfAvailable() }, { lock.lock() }) }, { lock.unlock() })
  },
  Subject("an os_unfair_lock has one holder, taken in every way, by up to 64 threads") {
    // SAFETY: the functions are atomic; the lock is freed after the threads have ended.
    nonisolated(unsafe) let lock = os_unfair_lock_t.allocate(capacity: 1)
    lock.initialize(to: os_unfair_lock())
    defer { lock.deallocate() }
    try exclude(
      &$0, { $0.takes(orTry: { os_unfair_lock_trylock(lock) }, { os_unfair_lock_lock(lock) }) },
      { os_unfair_lock_unlock(lock) })
  },
  Subject("waits for a lock that give up take nothing along", giveUp),
  Subject("the next holder of a lock may free it", freeByTheLast),
  Subject("items of queues and plain threads share a lock", shareWithItems),
]

@Suite struct LockStressTests {
  @Test(arguments: lockSubjects) func holds(_ subject: Subject) throws {
    try subject.smoke()
  }
}

/// Takes the lock in one of its ways. Returns whether it was taken.
private func take(_ lock: NSLock, _ random: inout SeededGenerator) -> Bool {
  switch Int.random(in: 0..<8, using: &random) {
  case 0..<3:
    lock.lock()
    return true
  case 3..<5: return lock.try()
  case 5: return lock.lock(before: .distantFuture)
  case 6: return lock.lock(before: .distantPast)
  default: return lock.lock(before: Date() + Double.random(in: 0...60e-6, using: &random))
  }
}

extension SeededGenerator {
  /// Takes a lock, or tries to. Returns whether it was taken.
  fileprivate mutating func takes(orTry tryToTake: () -> Bool, _ take: () -> Void) -> Bool {
    if Bool.random(using: &self) { return tryToTake() }
    take()
    return true
  }
}

private func exclude(
  _ random: inout SeededGenerator,
  _ take: @escaping @Sendable (inout SeededGenerator) -> Bool,
  _ leave: @escaping @Sendable () -> Void
) throws {
  let threads = [2, 3, 4, 8, 16, 64].randomElement(using: &random)!
  let attempts = 4000 / threads
  let generators = (0..<threads).map { _ in random.split() }
  let inside = Counter(), tooMany = Counter(), taken = Counter()
  let count = Unguarded(0)
  try runThreads(threads) { thread in
    var random = generators[thread]
    for _ in 0..<attempts {
      guard take(&random) else { continue }
      if inside.increment() > 1 { tooMany.increment() }
      count.increment()
      if Int.random(in: 0..<8, using: &random) == 0 {
        dawdle(Int.random(in: 0...2000, using: &random))
      }
      inside.decrement()
      taken.increment()
      leave()
      dawdle(Int.random(in: 0...60, using: &random))
    }
  }
  try agree(tooMany.value, 0, "holders beside another")
  try agree(count.value, taken.value, "what the lock guards")
  while !take(&random) {}
  leave()
}

/// One thread holds the lock for long; most of the others give up, some just as it is released.
private func giveUp(_ random: inout SeededGenerator) throws {
  let threads = Int.random(in: 2...8, using: &random)
  let rounds = 60
  let generators = (0..<threads).map { _ in random.split() }
  let lock = NSLock()
  let succeeded = Counter(), waited = Counter()
  let count = Unguarded(0)
  try runThreads(threads + 1) { thread in
    if thread == threads {
      // Waits without a limit, so a wake that went to a thread that gives up would be missed
      // here.
      for _ in 0..<rounds {
        lock.lock()
        count.increment()
        lock.unlock()
        waited.increment()
      }
      return
    }
    var random = generators[thread]
    for _ in 0..<rounds {
      let limit = Double.random(in: 0...100e-6, using: &random)
      guard lock.lock(before: Date() + limit) else { continue }
      count.increment()
      succeeded.increment()
      dawdle(Int.random(in: 0...4000, using: &random))
      lock.unlock()
    }
  }
  try agree(waited.value, rounds, "waits without a limit that came to their end")
  try agree(count.value, succeeded.value + rounds, "what the lock guards")
}

/// The last thread to leave releases the lock and its memory right after the others.
private func freeByTheLast(_ random: inout SeededGenerator) throws {
  let threads = Int.random(in: 2...6, using: &random)
  // SAFETY: `lock` guards `left`.
  final class Shared: @unchecked Sendable {
    let lock = NSLock()
    var left: Int
    init(_ left: Int) { self.left = left }
  }
  for _ in 0..<40 {
    let ends = Counter()
    // SAFETY: each thread takes its own reference out once.
    nonisolated(unsafe) let slots = UnsafeMutablePointer<Shared?>.allocate(capacity: threads)
    slots.initialize(repeating: Shared(threads), count: threads)
    defer { slots.deallocate() }
    try runThreads(threads) { thread in
      let shared = slots[thread]!
      slots[thread] = nil
      shared.lock.lock()
      shared.left -= 1
      let isLast = shared.left == 0
      shared.lock.unlock()
      if isLast { ends.increment() }
    }
    try agree(ends.value, 1, "threads that left it last")
  }
}

private func shareWithItems(_ random: inout SeededGenerator) throws {
  let lock = NSLock()
  let count = Unguarded(0)
  let taken = Counter()
  let items = Int.random(in: 20...200, using: &random)
  let threads = Int.random(in: 1...4, using: &random)
  let generators = (0..<(items + threads)).map { _ in random.split() }
  let group = DispatchGroup()
  let queue = DispatchQueue(label: "org.signalbox.stress.lock", attributes: .concurrent)
  for item in 0..<items {
    queue.async(group: group) {
      var random = generators[item]
      for _ in 0..<10 where take(lock, &random) {
        count.increment()
        taken.increment()
        lock.unlock()
      }
    }
  }
  try runThreads(threads) { thread in
    var random = generators[items + thread]
    for _ in 0..<100 where take(lock, &random) {
      count.increment()
      taken.increment()
      lock.unlock()
    }
  }
  group.wait()
  try agree(count.value, taken.value, "what the lock guards")
}
