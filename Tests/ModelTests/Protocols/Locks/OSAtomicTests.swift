// OSAtomic — the model of `SignalboxLocks/Atomics`: what a barrier is for.
//
// The family has no loads: a client reads with the standard library's atomics, or by adding 0.

import Testing

enum OSAtomicSite: Site {
  case update, fence

  var access: Access { .update }

  var ordering: Ordering { .sequentiallyConsistent }

  var operations: [String] {
    switch self {
    case .update:
      [
        "OSAtomicAdd.OSAtomicAdd32Barrier", "OSAtomicAdd.OSAtomicAdd64Barrier",
        "OSAtomicBits.OSAtomicTestAndClearBarrier", "OSAtomicBits.OSAtomicTestAndSetBarrier",
        "OSAtomicCompareAndSwap.OSAtomicCompareAndSwap32Barrier",
        "OSAtomicCompareAndSwap.OSAtomicCompareAndSwap64Barrier",
        "OSAtomicCompareAndSwap.OSAtomicCompareAndSwapLongBarrier",
        "OSAtomicCompareAndSwap.OSAtomicCompareAndSwapPtrBarrier",
        "OSAtomicLogic.OSAtomicAnd32Barrier", "OSAtomicLogic.OSAtomicAnd32OrigBarrier",
        "OSAtomicLogic.OSAtomicOr32Barrier", "OSAtomicLogic.OSAtomicOr32OrigBarrier",
        "OSAtomicLogic.OSAtomicXor32Barrier", "OSAtomicLogic.OSAtomicXor32OrigBarrier",
      ].map { "Atomics/\($0):OA1" }
    case .fence: ["Atomics/OSMemoryBarrier.OSMemoryBarrier:OA2"]
    }
  }
}

@Suite struct OSAtomicTests {
  /// Two threads each announce themselves and look whether the other has done so (SB). They
  /// must not both find themselves alone.
  private static func declare(
    _ p: inout Program,
    _ announce: @escaping @Sendable (ModelThread, _ own: Atomic, _ other: Atomic) throws -> Int
  ) {
    let x = p.atomic("x"), y = p.atomic("y"), alone = p.atomic("alone")
    for (name, own, other) in [("first", x, y), ("second", y, x)] {
      p.thread(name) { t in
        if try announce(t, own, other) == 0 { try t.fetchAdd(alone, 1, .relaxed) }
      }
    }
    p.atEnd { end in end[alone] > 1 ? "both are alone" : nil }
  }

  private var scenarios: [Scenario<OSAtomicSite>] {
    [
      Scenario("SB by functions with a barrier") { p, orderings in
        Self.declare(&p) { t, own, other in
          try t.fetchAdd(own, 1, orderings[.update])
          return try t.load(other, .sequentiallyConsistent)
        }
      },
      Scenario("SB with a barrier in between") { p, orderings in
        Self.declare(&p) { t, own, other in
          try t.fetchAdd(own, 1, .relaxed)
          try t.fence(orderings[.fence])
          return try t.load(other, .relaxed)
        }
      },
    ]
  }

  @Test func barriersPreventTwoThreadsFromMissingEachOther() {
    expectHolds(scenarios)
  }

  @Test func everyBarrierIsNeeded() {
    expectEachWeakeningFails(scenarios)
  }

  @Test func withoutABarrierBothMayMissEachOther() {
    let verdict = Scenario<OSAtomicSite>("SB") { p, _ in
      Self.declare(&p) { t, own, other in
        try t.fetchAdd(own, 1, .relaxed)
        return try t.load(other, .relaxed)
      }
    }.program(.asBuilt).explored()
    #expect(verdict.flaw == .violation("both are alone"), "\(verdict)")
  }

  /// The two processors of Apple's document: A = 1, B = 2 on one, x = A, y = B on the other.
  /// The order of the loads decides the outcome (MP).
  @Test(arguments: [false, true], [false, true])
  func theDocumentsTwoProcessors(hasBarriers: Bool, loadsBFirst: Bool) {
    let seen = outcomes { p in
      let a = p.atomic("A"), b = p.atomic("B")
      p.thread("stores") { t in
        try t.store(1, to: a, .relaxed)
        if hasBarriers { try t.fence(.sequentiallyConsistent) }
        try t.store(2, to: b, .relaxed)
      }
      p.thread("loads") { t in
        let first = try t.load(loadsBFirst ? b : a, .relaxed)
        if hasBarriers { try t.fence(.sequentiallyConsistent) }
        let second = try t.load(loadsBFirst ? a : b, .relaxed)
        t.observe(loadsBFirst ? second : first, loadsBFirst ? first : second)
      }
    }
    var expected: Set = [[0, 0], [1, 0], [0, 2], [1, 2]]
    // The new B together with the old A.
    if hasBarriers && loadsBFirst { expected.remove([0, 2]) }
    #expect(seen == expected)
  }

  // MARK: The lost update

  private func increments(
    _ increment: @escaping @Sendable (ModelThread, Atomic) throws -> Void
  ) -> Set<[Int]> {
    outcomes { p in
      let number = p.atomic("i")
      for name in ["first", "second"] { p.thread(name) { t in try increment(t, number) } }
      p.observeAtEnd(number)
    }
  }

  @Test func aLoadAndAStoreLoseAnUpdateWithAnyOrdering() {
    for ordering in [Ordering.relaxed, .sequentiallyConsistent] {
      let seen = increments { t, number in
        try t.store(try t.load(number, ordering) + 1, to: number, ordering)
      }
      #expect(seen == [[1], [2]])
    }
  }

  @Test func anAtomicIncrementLosesNothing() {
    #expect(increments { t, number in try t.fetchAdd(number, 1, .relaxed) } == [[2]])
  }
}
