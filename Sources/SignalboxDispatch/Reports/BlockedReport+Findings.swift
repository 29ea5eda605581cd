// BlockedReport+Findings — what the handlers of deadlocks and stuck pools are told, as values.

import CSignalbox
import SignalboxDiagnostics
import SignalboxRuntime

extension BlockedReport {
  /// Threads that cannot continue, as values for a logger or for metrics.
  ///
  /// *Beyond Apple's API.*
  public struct Finding: Sendable {
    /// What was found.
    public enum Kind: String, Sendable, CaseIterable {
      /// Threads wait for each other, or a thread waits for what it holds itself: see
      /// ``BlockedReport/onDeadlock(_:)``.
      case deadlock
      /// All workers wait, and items wait behind them: see ``BlockedReport/onStuck(_:)``.
      case stuckPool
    }

    /// What this finding is.
    public let kind: Kind
    /// The report in words, as the handlers of text receive it.
    public let text: String
    /// Whether no other thread can end the waits. `false` for a stuck pool.
    public let isFinal: Bool
    /// The threads that wait for each other, in the order of the cycle: each for the next one,
    /// and the last one for the first. For a stuck pool, its workers. Empty for a cycle of
    /// operations. A thread whose wait has since ended is not among them.
    public let threads: [Thread]

    init(_ text: String, _ found: DeadlockReport.Finding, _ own: Thread?) {
      kind = .deadlock
      self.text = text
      isFinal = found.isFinal
      threads = own.map { [$0] } ?? Finding.waiting(found.threads)
    }

    init(ofStuckPool text: String, _ numbers: [UInt32]) {
      kind = .stuckPool
      self.text = text
      isFinal = false
      threads = Finding.waiting(numbers)
    }

    private static func waiting(_ numbers: [UInt32]) -> [Thread] {
      let records = Dictionary(
        WaitRegistry.shared.records.lazy.map { ($0.thread, $0) }, uniquingKeysWith: { $1 })
      let waits = numbers.compactMap { number in
        records[number].flatMap { record in
          record.current(withFunctions: true).map { (record, $0) }
        }
      }
      // One symbolizer for all waits, so that each file is searched only once.
      let symbols = Symbolizer(waits.flatMap { $1.functions.addresses })
      return waits.map { Thread($0, $1, symbols) }
    }
  }

  /// A thread that waits.
  ///
  /// *Beyond Apple's API.*
  public struct Thread: Sendable {
    /// The thread's number in messages.
    public let number: Int
    /// The thread's kernel id.
    public let kernelID: Int
    /// The thread's name, or empty if it has none.
    public let name: String
    /// The labels of the queues whose work the thread runs, the innermost first.
    public let queues: [String]
    /// The task of Swift's runtime in which the thread waits, with its number, its name and its
    /// priority: "task 17 "decode" (user-initiated)", or "a job of an actor". nil if the thread
    /// runs neither, or if the task cannot be read.
    public let task: String?
    /// The kind of wait, as it reads between "waits" and the ``resource``: "in sync, for".
    public let reason: String
    /// What the thread waits for: "the queue "com.example.db"".
    public let resource: String
    /// How long the thread has waited; zero if it is about to wait for what it holds itself.
    public let waited: Duration
    /// Whether the wait has a timeout.
    public let isTimed: Bool
    /// The number of the thread that holds the resource; nil if no thread or several threads hold
    /// it.
    public let owner: Int?
    /// The program's functions on the thread's stack, the innermost first: "Server.handle() -> ()
    /// in server". Functions of this library, of Swift's libraries and of code without symbols are
    /// not among them.
    public let functions: [String]

    /// The calling thread, which is about to wait for a resource that it holds.
    init(about resource: String) {
      let thread = csb_thread_number()
      number = Int(thread)
      kernelID = Int(csb_thread_kernel_id())
      name = ThreadName.bare(thread, csb_thread_kernel_id())
      queues = ThreadStack.ownQueueLabels
      task = WaitRecord.ofThisThread.ownTask
      reason = "for"
      self.resource = resource
      waited = .zero
      isTimed = false
      owner = Int(thread)
      let stack = WaitStack.ofThisThread()
      functions = stack.programFunctions(in: Symbolizer(stack.addresses))
    }

    init(_ record: WaitRecord, _ wait: WaitRecord.Snapshot, _ symbols: Symbolizer) {
      number = Int(wait.thread)
      kernelID = Int(wait.kernelID)
      name = ThreadName.bare(wait.thread, wait.kernelID)
      task = wait.task
      queues = record.whileWaiting { stack, _ in stack.queueLabels } ?? []
      reason = wait.reason.words
      resource = wait.resource
      waited = .nanoseconds(Int64(clamping: wait.length.nanoseconds))
      isTimed = wait.isTimed
      owner = wait.owner == 0 ? nil : Int(wait.owner)
      functions = wait.functions.programFunctions(in: symbols)
    }
  }

  /// Calls `handler` with each finding of a kind. `nil` removes the handler.
  ///
  /// ```swift
  /// BlockedReport.onFinding(of: .deadlock) { finding in
  ///   logger.error("deadlock", metadata: ["threads": "\(finding.threads.map(\.number))"])
  /// }
  /// ```
  ///
  /// It replaces the handler of ``onDeadlock(_:)`` or ``onStuck(_:)``, and has the same effects:
  /// while a handler is set, a deadlock does not end the process. The values are read when the
  /// handler is called, a few hundredths of a second after the threads began to wait.
  ///
  /// Any thread may call it. The handler runs on a worker of its own, on a global queue.
  ///
  /// *Beyond Apple's API.*
  public static func onFinding(
    of kind: Finding.Kind, _ handler: (@Sendable (Finding) -> Void)?
  ) {
    switch kind {
    case .deadlock:
      guard let handler else { return DeadlockReport.shared.handle(with: nil) }
      DeadlockReport.shared.handle { found in
        let own = found.ownResource.map { Thread(about: $0) }
        ReportDelivery.deliver(found.text) { handler(Finding($0, found, own)) }
      }
    case .stuckPool:
      guard let handler else { return onStuckPool(nil) }
      onStuckPool { text, threads in
        handler(Finding(ofStuckPool: text, threads))
      }
    }
  }
}
