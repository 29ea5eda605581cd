// Misuse — one scenario that ends a process, and what the process says before it ends.
//
// A suite lists its scenarios in a table; one exit test runs each of them in a process of its
// own. That process finds the scenario by its name, in the tables of `Misuse.suites`. A test that
// needs another end, an asynchronous body or a name of its own has its own exit test.

import Glibc
import SignalboxTestSupport
import Testing

struct Misuse: CustomTestStringConvertible, Sendable {
  /// A sentence that says what the scenario does; no other scenario of the file has it.
  let name: String

  private let location: SourceLocation
  /// The status of the process is that of a success.
  private let endsWell: Bool
  private let arm: @Sendable () -> Void
  private let body: @Sendable () throws -> Void
  private let check: @Sendable (_ output: [UInt8], SourceLocation) -> Void

  var testDescription: String { name }

  /// A body that traps with one message, which contains each of the words.
  init(
    _ name: String, says words: String..., at location: SourceLocation = #_sourceLocation,
    body: @escaping @Sendable () throws -> Void
  ) {
    self.init(name, location, endsWell: false, { Trap.arm() }, body) { output, location in
      Trap.expectMessage(in: String(decoding: output, as: UTF8.self), words, location)
    }
  }

  /// A body that closes a cycle of so many threads, which wait for the queues with these labels
  /// one after the other.
  init(
    _ name: String, closesCycleOf threads: Int, _ labels: [String], says words: String...,
    at location: SourceLocation = #_sourceLocation, body: @escaping @Sendable () throws -> Void
  ) {
    self.init(name, location, endsWell: false, { Trap.arm() }, body) { output, location in
      Trap.expectCycle(output, threads: threads, labels, says: words, sourceLocation: location)
    }
  }

  /// A body that waits for work which cannot run, for the reason in `held`.
  init(
    _ name: String, waitsFor work: String, _ held: String, _ labels: [String] = [],
    says words: String..., at location: SourceLocation = #_sourceLocation,
    body: @escaping @Sendable () throws -> Void
  ) {
    let all = ["deadlock: thread", "(kernel ", work, held] + labels + words
    self.init(name, location, endsWell: false, { Trap.arm() }, body) { output, location in
      Trap.expectMessage(in: String(decoding: output, as: UTF8.self), all, location)
    }
  }

  /// A body that closes a cycle which another thread may still end: the process reports it once,
  /// with each of the words, and continues.
  init(
    _ name: String, reports words: String..., at location: SourceLocation = #_sourceLocation,
    body: @escaping @Sendable () throws -> Void
  ) {
    self.init(name, location, endsWell: true, { Reported.arm() }, body) { output, location in
      Reported.expectMessage(output, words, location)
    }
  }

  /// The same; the report names one thread for each of the things, and each thing.
  init(
    _ name: String, reportsCycleOf things: [String], says words: String...,
    at location: SourceLocation = #_sourceLocation, body: @escaping @Sendable () throws -> Void
  ) {
    self.init(name, location, endsWell: true, { Reported.arm() }, body) { output, location in
      Reported.expectThings(output, things, says: words, sourceLocation: location)
    }
  }

  /// A body that closes a cycle on threads of its own, and returns the call that ends it. The
  /// process reports the cycle, makes the call, and every thread ends.
  init(
    _ name: String, reportsUntilReleased words: String..., naming names: [String] = [],
    at location: SourceLocation = #_sourceLocation,
    body: @escaping @Sendable (inout [PlainThread]) throws -> @Sendable () -> Void
  ) {
    self.init(name, location, endsWell: true, {}, { try Released.run(body) }) { output, location in
      Reported.expectMessage(output, words + names, location)
    }
  }

  private init(
    _ name: String, _ location: SourceLocation, endsWell: Bool,
    _ arm: @escaping @Sendable () -> Void, _ body: @escaping @Sendable () throws -> Void,
    check: @escaping @Sendable ([UInt8], SourceLocation) -> Void
  ) {
    (self.name, self.location, self.endsWell) = (name, location, endsWell)
    (self.arm, self.body, self.check) = (arm, body, check)
  }

  private static let survived = "the scenario came to its end, and nothing ended the process"

  /// Runs the body in a process of its own, and expects that it ends as the scenario says.
  func expect() async {
    let result = await #expect(
      processExitsWith: endsWell ? .success : .failure, observing: [\.standardErrorContent],
      "\(name)", sourceLocation: location
    ) { [name = name as String, file = location.fileID as String, endsWell = endsWell as Bool] in
      let all = Misuse.suites.flatMap { $0.misuses }
      let found = all.filter { $0.name == name && $0.location.fileID == file }
      if let misuse = found.first, found.count == 1 {
        misuse.arm()
        try misuse.body()
        StandardError.print(Misuse.survived)
      } else {
        StandardError.print("\(found.count) scenarios in Misuse.suites have this name")
      }
      // The expected status: with another one `#expect` returns no output to show.
      exit(endsWell ? EXIT_SUCCESS : EXIT_FAILURE)
    }
    guard let output = result?.standardErrorContent else { return }
    let text = String(decoding: output, as: UTF8.self)
    if text.contains(Misuse.survived) {
      Issue.record("\(text)", sourceLocation: location)
    } else {
      check(output, location)
    }
  }
}

/// A suite with a table of scenarios.
protocol MisuseSuite {
  @MisuseTable static var misuses: [Misuse] { get }
}

@resultBuilder enum MisuseTable {
  static func buildExpression(_ misuse: Misuse) -> [Misuse] { [misuse] }
  static func buildBlock(_ rows: [Misuse]...) -> [Misuse] { rows.flatMap { $0 } }
  static func buildArray(_ rows: [[Misuse]]) -> [Misuse] { rows.flatMap { $0 } }
}

extension Misuse {
  /// Every suite with a table.
  static var suites: [any MisuseSuite.Type] {
    [
      ConditionMisuseTests.self, CoordinationTests.self, DataMisuseTests.self,
      DeadlockOfWorkTests.self, DeadlockReleaseTests.self, DeadlockTests.self,
      DistributedLockTests.self, ItemTests.self, LockDeadlockTests.self, RelockTests.self,
      ForeignUnlockTests.self, HeldLockFreedTests.self, LockOrderTests.self, OnceTests.self,
      OperationCycleTests.self, OperationMisuseTests.self, PatternTests.self,
      PerformMisuseTests.self, PortMisuseTests.self, PreconditionTests.self, QueueMisuseTests.self,
      RunLoopMisuseTests.self, ReadWriteLockMisuseTests.self, SharedLockDeadlockTests.self,
      SourceKindMisuseTests.self, SourceMisuseTests.self, SuspensionTests.self,
      SyncOntoCurrentQueueTests.self, ThreadMisuseTests.self, TimerMisuseTests.self,
    ]
  }
}
