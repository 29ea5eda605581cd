// OSAtomic — the model of `SignalboxLocks/Atomics`: what a barrier is for.
//
// The family has no loads: a client reads by the standard library's atomics, or by a sum
// with nothing.

import Testing

enum OSAtomicSite: Site {
  case update, fence

  var access: Access { .update }

  var ordering: Ordering { .sequentiallyConsistent }

  var places: [String] {
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
  /// Two threads each say that they come and look whether the other has: SB. Not both
  /// may find themselves alone.
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

  @Test func barriersKeepTwoFromBothBeingAlone() {
    expectHolds(scenarios)
  }

  @Test func everyBarrierIsNeeded() {
    expectEachWeakeningFails(scenarios)
  }

  @Test func withoutABarrierBothMayBeAlone() {
    let verdict = Scenario<OSAtomicSite>("SB") { p, _ in
      Self.declare(&p) { t, own, other in
        try t.fetchAdd(own, 1, .relaxed)
        return try t.load(other, .relaxed)
      }
    }.program(.asBuilt).explored()
    #expect(verdict.flaw == .violation("both are alone"), "\(verdict)")
  }

  /// The document's two processors: A = 1, x = A; B = 2, y = B. Of the 24 orders of the
  /// four steps, those that turn a processor's own two round never happen, barrier or not:
  /// each sees its own store.
  @Test func theDocumentsTwoProcessorsSeeTheirOwnStores() {
    for ordering in [Ordering.relaxed, .sequentiallyConsistent] {
      let seen = outcomes { p in
        let a = p.atomic("A"), b = p.atomic("B")
        for (name, place, value) in [("first", a, 1), ("second", b, 2)] {
          p.thread(name) { t in
            try t.store(value, to: place, .relaxed)
            if ordering != .relaxed { try t.fence(ordering) }
            t.observe(try t.load(place, .relaxed))
          }
        }
      }
      #expect(seen == [[1, 2]])
    }
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

  @Test func aLoadAndAStoreLoseAnUpdateWhateverTheirOrder() {
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
