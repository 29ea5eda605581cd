// SharedLockStressTests — read–write locks, spin locks and locks of objects, with 2 to 64
// threads.

import SignalboxDispatch
import SignalboxLocks
import SignalboxTestSupport
import Testing

let sharedLockSubjects = [
  Subject("readers and writers are apart, whoever gives up", readAndWrite),
  Subject("readers that read again come in while writers wait", readAgain),
  Subject("readers and writers of several locks, taken in one order", severalLocks),
  Subject("orders that only limits turn round are no deadlocks", turnRound),
  Subject("a spin lock guards what it guards", spin),
  Subject("objects are locked each by itself", lockObjects),
]

@Suite struct SharedLockStressTests {
  @Test(arguments: sharedLockSubjects) func holds(_ subject: Subject) throws {
    try subject.smoke()
  }
}

private func threadCount(_ random: inout SeededGenerator) -> Int {
  [2, 3, 4, 8, 16, 64].randomElement(using: &random)!
}

/// A pair of equal numbers. A reader must never see them differ.
private final class Pair: Sendable {
  private let first = Unguarded(0)
  private let second = Unguarded(0)
  let torn = Counter()

  func read() {
    let before = first.value
    dawdle(5)
    if second.value != before { torn.increment() }
  }

  func write() {
    first.increment()
    second.increment()
  }

  var writes: Int { first.value }
}

private func moment(_ random: inout SeededGenerator) -> Date {
  Date() + Double.random(in: 0...60e-6, using: &random)
}

private func readAndWrite(_ random: inout SeededGenerator) throws {
  let threads = threadCount(&random)
  let rounds = 4_000 / threads
  let writesOf10 = Int.random(in: 1...9, using: &random)
  let generators = (0..<threads).map { _ in random.split() }
  let lock = ReadWriteLock()
  let pair = Pair()
  let written = Counter()
  try runThreads(threads) { thread in
    var random = generators[thread]
    for _ in 0..<rounds {
      let form = Int.random(in: 0..<4, using: &random)
      if Int.random(in: 0..<10, using: &random) < writesOf10 {
        switch form {
        case 0: guard lock.tryLockForWriting() else { continue }
        case 1: guard lock.lockForWriting(before: moment(&random)) else { continue }
        default: lock.lockForWriting()
        }
        pair.write()
        written.increment()
      } else {
        switch form {
        case 0: guard lock.tryLockForReading() else { continue }
        case 1: guard lock.lockForReading(before: moment(&random)) else { continue }
        default: lock.lockForReading()
        }
        pair.read()
      }
      lock.unlock()
      dawdle(Int.random(in: 0...30, using: &random))
    }
  }
  try agree(pair.torn.value, 0, "reads in the middle of a write")
  try agree(pair.writes, written.value, "writes")
  try agree(lock.tryLockForWriting(), true, "free at the end")
  lock.unlock()
}

private func readAgain(_ random: inout SeededGenerator) throws {
  let threads = threadCount(&random)
  let rounds = 2_000 / threads
  let generators = (0..<threads).map { _ in random.split() }
  let lock = ReadWriteLock()
  let pair = Pair()
  try runThreads(threads) { thread in
    var random = generators[thread]
    for round in 0..<rounds {
      if (round + thread) % 3 == 0 {
        lock.withWriteLock { pair.write() }
        continue
      }
      let depth = Int.random(in: 1...4, using: &random)
      for _ in 0..<depth {
        lock.lockForReading()
        pair.read()
      }
      for _ in 0..<depth {
        pair.read()
        lock.unlock()
      }
    }
  }
  try agree(pair.torn.value, 0, "reads in the middle of a write")
}

private func severalLocks(_ random: inout SeededGenerator) throws {
  let threads = threadCount(&random)
  let rounds = 1_000 / threads
  let generators = (0..<threads).map { _ in random.split() }
  // More locks than a thread's first block of slots holds.
  let locks = (0..<9).map { _ in ReadWriteLock() }
  let pairs = locks.map { _ in Pair() }
  let written = locks.map { _ in Counter() }
  try runThreads(threads) { thread in
    var random = generators[thread]
    for _ in 0..<rounds {
      let writes = locks.map { _ in Int.random(in: 0..<8, using: &random) == 0 }
      for (index, lock) in locks.enumerated() {
        if writes[index] {
          lock.lockForWriting()
          pairs[index].write()
          written[index].increment()
        } else {
          lock.lockForReading()
        }
      }
      for index in locks.indices.shuffled(using: &random) {
        if !writes[index] { pairs[index].read() }
        locks[index].unlock()
      }
    }
  }
  for (index, pair) in pairs.enumerated() {
    try agree(pair.torn.value, 0, "reads in the middle of a write")
    try agree(pair.writes, written[index].value, "writes")
  }
}

/// Every wait searches for a deadlock at once. Threads take locks in one order, or in the other
/// order with a limit: cycles exist all the time, and each one ends.
private func turnRound(_ random: inout SeededGenerator) throws {
  let threads = [2, 3, 4, 8].randomElement(using: &random)!
  let generators = (0..<threads).map { _ in random.split() }
  let locks = (0..<3).map { _ in ReadWriteLock() }
  let objects = (0..<2).map { _ in Unguarded(0) }
  let ended = Counter()
  try EveryWaitLooks.during {
    try runThreads(threads) { thread in
      var random = generators[thread]
      for _ in 0..<150 {
        let low = Int.random(in: 0..<2, using: &random)
        let high = Int.random(in: low + 1...2, using: &random)
        let writes = (0..<2).map { _ in Bool.random(using: &random) }
        func take(_ lock: ReadWriteLock, _ writes: Bool, before limit: Date?) -> Bool {
          if let limit {
            return writes ? lock.lockForWriting(before: limit) : lock.lockForReading(before: limit)
          }
          if writes { lock.lockForWriting() } else { lock.lockForReading() }
          return true
        }
        let isTurned = Bool.random(using: &random)
        let (first, second) = isTurned ? (high, low) : (low, high)
        _ = take(locks[first], writes[0], before: nil)
        let limit = isTurned ? moment(&random) : nil
        if take(locks[second], writes[1], before: limit) {
          // This lock comes after all other locks in the order.
          synchronized(objects[low % 2]) { objects[low % 2].increment() }
          locks[second].unlock()
        }
        locks[first].unlock()
        ended.increment()
      }
    }
  }
  try agree(ended.value, threads * 150, "turns")
}

private func spin(_ random: inout SeededGenerator) throws {
  let threads = threadCount(&random)
  let rounds = 4_000 / threads
  let lock = SpinLock()
  let count = Unguarded(0)
  let taken = Counter()
  let generators = (0..<threads).map { _ in random.split() }
  try runThreads(threads) { thread in
    var random = generators[thread]
    for _ in 0..<rounds {
      if Int.random(in: 0..<4, using: &random) == 0 {
        guard lock.try() else { continue }
      } else {
        lock.lock()
      }
      count.increment()
      taken.increment()
      lock.unlock()
    }
  }
  try agree(count.value, taken.value, "what the lock guards")
}

private func lockObjects(_ random: inout SeededGenerator) throws {
  let threads = threadCount(&random)
  let rounds = 3_000 / threads
  let objects = (0..<Int.random(in: 1...12, using: &random)).map { _ in Unguarded(0) }
  let entered = objects.map { _ in Counter() }
  let wrong = Counter()
  let generators = (0..<threads).map { _ in random.split() }
  try runThreads(threads) { thread in
    var random = generators[thread]
    for _ in 0..<rounds {
      // Takes some of them in one order, some of them twice.
      let chosen = objects.indices.filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
      for index in chosen {
        for _ in 0...index % 2 { objc_sync_enter(objects[index]) }
        objects[index].increment()
        entered[index].increment()
      }
      for index in chosen.shuffled(using: &random) {
        for _ in 0...index % 2 where objc_sync_exit(objects[index]) != OBJC_SYNC_SUCCESS {
          wrong.increment()
        }
      }
      let own = Unguarded(0)
      synchronized(own) { own.increment() }
      if objc_sync_exit(own) != OBJC_SYNC_NOT_OWNING_THREAD_ERROR { wrong.increment() }
    }
  }
  try agree(wrong.value, 0, "wrong answers")
  for (index, object) in objects.enumerated() {
    try agree(object.value, entered[index].value, "what an object's lock guards")
  }
}
