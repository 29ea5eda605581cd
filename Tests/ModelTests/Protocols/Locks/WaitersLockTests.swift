// WaitersLock — the model of `SignalboxLocks/Conditions/WaitersLock.swift` in a forked
// child: two threads use a queue that still has the parent's state.

import Testing

@Suite struct WaitersLockTests {
  /// - Parameters:
  ///   - held: Whether a thread of the parent held the lock at the fork.
  ///   - takesIt: Whether the renewal takes the lock; otherwise it only releases it.
  private func twoThreads(held: Bool, takesIt: Bool = true) -> Program {
    Program { p in
      let lock = p.atomic("lock", held ? 1 : 0)
      let renewing = p.atomic("renewing")
      let checkedIn = p.atomic("checked in")
      let queue = p.plain("queue", 5)
      for name in ["one", "two"] {
        p.thread(
          name,
          sections: [
            { t in
              guard try t.load(checkedIn, .relaxed) == 0 else { return }
              try t.withLock(renewing) {
                guard try t.load(checkedIn, .relaxed) == 0 else { return }
                if takesIt { _ = try t.compareExchange(lock, expected: 0, desired: 1, .acquire) }
                try t.write(0, to: queue)
                try t.store(1, to: checkedIn, .relaxed)
                try t.exchange(lock, 0, .release)
              }
            },
            { t in try t.withLock(lock) { try t.write(try t.read(queue) + 1, to: queue) } },
          ])
      }
      p.atEnd { end in end[queue] == 2 ? nil : "\(end[queue]) in the queue" }
    }
  }

  @Test(arguments: [true, false])
  func theChildStartsAnewOnce(held: Bool) {
    let verdict = twoThreads(held: held).explored()
    #expect(verdict.holds, "\(verdict)")
  }

  /// A thread that arrives in between finds the lock free, though the queue is not
  /// ready.
  @Test func aRenewalMustHoldTheLock() {
    let verdict = twoThreads(held: false, takesIt: false).explored()
    #expect(verdict.flaw == .dataRace(on: "queue"), "\(verdict)")
  }
}
