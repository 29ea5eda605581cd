// Signal — the model of `CSignalbox/signals.h`: handlers count signals and announce them through
// one descriptor, and the poller of that descriptor looks at the counts.
//
// The descriptor is one word here, for which the kernel promises no ordering: the poller
// waits until the word is set, and takes it.

import Testing

enum SignalSite: Site {
  case count, announce, acknowledge, look

  var access: Access { self == .look ? .load : .update }

  var ordering: Ordering {
    switch self {
    case .count, .announce: .release
    case .acknowledge, .look: .acquire
    }
  }

  var operations: [String] {
    switch self {
    case .count: ["CSignalbox/signals.handle:SG2"]
    case .announce: ["CSignalbox/signals.announce:SG1"]
    case .acknowledge: ["CSignalbox/signals.csb_signals_acknowledge:SG1"]
    case .look: ["CSignalbox/signals.csb_signal_count:SG2"]
    }
  }
}

struct SignalModel: Sendable {
  /// Ways to get it wrong.
  enum Mistake {
    /// The poller looks at the counts before it has acknowledged.
    case looksFirst
  }

  /// A bit for each thread that raises a signal.
  let counts: Atomic
  let announced: Atomic
  let descriptor: Atomic
  /// What each thread wrote before its signal.
  let written: [Plain]
  let orderings: Orderings<SignalSite>
  var mistake: Mistake?

  init(_ p: inout Program, _ orderings: Orderings<SignalSite>) {
    counts = p.atomic("counts")
    announced = p.atomic("announced")
    descriptor = p.atomic("descriptor")
    written = p.plains("written", count: 2)
    self.orderings = orderings
  }

  func raise(_ index: Int, _ t: ModelThread) throws {
    try t.write(1, to: written[index])
    try t.fetchAdd(counts, 1 << index, orderings[.count])
    if try t.exchange(announced, 1, orderings[.announce]) == 0 {
      try t.fetchAdd(descriptor, 1, .relaxed)
    }
  }

  /// Polls until both signals are reported. If a signal is lost, the poller waits forever.
  func poll(_ t: ModelThread) throws {
    var told = 0
    while told != 0b11 {
      try t.await(descriptor, .notEqual(0), .relaxed)
      try t.exchange(descriptor, 0, .relaxed)
      var found = mistake == .looksFirst ? try t.load(counts, orderings[.look]) : 0
      try t.exchange(announced, 0, orderings[.acknowledge])
      if mistake != .looksFirst { found = try t.load(counts, orderings[.look]) }
      for index in 0..<2 where (found & ~told) >> index & 1 == 1 {
        try t.require(
          try t.read(written[index]) == 1, "a signal is told without what was written before")
      }
      told |= found
    }
  }
}

@Suite struct SignalTests {
  private func scenario(_ mistake: SignalModel.Mistake? = nil) -> Scenario<SignalSite> {
    Scenario("two signals while one polls") { p, orderings in
      var model = SignalModel(&p, orderings)
      model.mistake = mistake
      for index in 0..<2 {
        p.thread("raiser \(index)") { [model] t in try model.raise(index, t) }
      }
      p.thread("poller") { [model] t in try model.poll(t) }
    }
  }

  @Test func everySignalIsReportedWithEarlierWrites() {
    expectHolds([scenario()])
  }

  @Test func aCheckBeforeTheAcknowledgementLosesASignal() {
    #expect(!scenario(.looksFirst).program(.asBuilt).explored().holds)
  }

  @Test func everyOrderingOfSignalsIsNeeded() {
    expectEachWeakeningFails([scenario()])
  }
}
