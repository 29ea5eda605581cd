// SharedLockHandOffs — what read–write locks, spin locks and locks of objects pass from holder to
// holder.

import SignalboxLocks

let sharedLockHandOffs = [
  HandOff("writer-by-turns") {
    let lock = ReadWriteLock()
    byTurns { _, body in lock.withWriteLock(body) }
  },
  HandOff("reader-to-writer-by-turns") {
    // A read under the lock happens before the next writer's write.
    for _ in 0..<turnRounds {
      let lock = ReadWriteLock()
      let plain = Plain()
      let turns = Turns()
      together(
        { turns.take(0) { lock.withReadLock { expect(plain.value, 0, "what was read") } } },
        { turns.take(1) { lock.withWriteLock { plain.value = 1 } } })
    }
  },
  HandOff("reader-to-writer-by-turns-slot-used-again") {
    for _ in 0..<turnRounds {
      let lock = ReadWriteLock(), other = ReadWriteLock()
      let plain = Plain()
      let turns = Turns()
      together(
        {
          turns.take(0) {
            lock.withReadLock { expect(plain.value, 0, "what was read") }
            other.lockForReading()
          }
          turns.await(2)
          other.unlock()
        },
        { turns.take(1) { lock.withWriteLock { plain.value = 1 } } })
    }
  },
  HandOff("writer-to-reader-by-turns") {
    // The first reader opens the gate, the second finds it open.
    for _ in 0..<turnRounds {
      let lock = ReadWriteLock()
      let plain = Plain()
      let turns = Turns()
      let read: @Sendable (Int) -> @Sendable () -> Void = { turn in
        { turns.take(turn) { lock.withReadLock { expect(plain.value, 1, "what was written") } } }
      }
      together(
        { turns.take(0) { lock.withWriteLock { plain.value = 1 } } }, read(1), read(2))
    }
  },
  HandOff("writer-to-waiting-readers") {
    for round in 0..<chanceRounds {
      let lock = ReadWriteLock()
      let plain = Plain()
      let turns = Turns()
      let read: @Sendable () -> Void = {
        turns.await(1)
        lock.withReadLock { expect(plain.value, 1, "what was written") }
      }
      together(
        {
          lock.withWriteLock {
            turns.end()
            work(round)
            plain.value = 1
          }
        }, read, read)
    }
  },
  HandOff("readers-and-writers-contended") {
    let lock = ReadWriteLock()
    contended { thread, round, count in
      if (thread + round) % 3 == 0 { lock.withReadLock { if count.value < 0 { fatal("read") } } }
      lock.withWriteLock {
        count.value += 1
        if round % 8 == 0 { work(round / 8) }
      }
    }
  },
  HandOff("reader-blocks-by-turns") {
    // A thread's slots go to the next thread.
    let lock = ReadWriteLock()
    let plain = Plain()
    for _ in 0..<turnRounds {
      together({ lock.withReadLock { expect(plain.value, 0, "what was read") } })
      together({ lock.withReadLock { lock.withReadLock {} } })
    }
  },
  HandOff("reader-blocks-contended") {
    // Threads begin and end while others look for their slots.
    let lock = ReadWriteLock()
    let plain = Plain()
    for _ in 0..<turnRounds {
      together(
        (0..<4).map { thread in
          {
            if thread == 0 {
              lock.withWriteLock { plain.value += 1 }
            } else {
              lock.withReadLock { if plain.value < 0 { fatal("read") } }
            }
          }
        })
    }
    expect(plain.value, turnRounds, "writes")
  },
  HandOff("spin-lock-by-turns") {
    let lock = SpinLock()
    byTurns { _, body in lock.withLock(body) }
  },
  HandOff("spin-lock-contended") {
    let lock = SpinLock()
    contended { _, round, count in
      lock.withLock {
        count.value += 1
        if round % 8 == 0 { work(round / 8) }
      }
    }
  },
  HandOff("synchronized-by-turns") {
    final class Object: Sendable {}
    let object = Object()
    byTurns { _, body in synchronized(object, body) }
  },
  HandOff("synchronized-contended") {
    final class Object: Sendable {}
    let object = Object()
    contended { _, round, count in
      synchronized(object) {
        count.value += 1
        if round % 8 == 0 { work(round / 8) }
      }
    }
  },
]
