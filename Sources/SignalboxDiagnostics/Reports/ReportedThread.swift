// ReportedThread — a thread in a report.

import CSignalbox
package import SignalboxRuntime

extension SignalboxReport {
  /// A thread and its state.
  public struct Thread: Sendable {
    /// The thread's number in messages; 0 if the thread has never used this
    /// library.
    public let number: Int
    /// The kernel's number of the thread.
    public let kernelID: Int
    /// The thread's name, or empty if it has none.
    public let name: String
    /// Whether it is the process's first thread.
    public let isMain: Bool
    /// The thread's state.
    public let state: State
    /// What the thread waits for, if it waits in a call of this library.
    public let wait: Wait?
    /// The thread's name in messages.
    private let title: String

    /// The state of a thread.
    public enum State: String, Sendable, CaseIterable {
      /// The thread waits in a call of this library.
      case waiting
      /// The thread runs or is runnable.
      case running
      /// The thread waits for a processor.
      case ready
      /// The thread sleeps outside this library, or because it has no work.
      case sleeping
      /// The thread waits in the kernel, for example for a disk.
      case uninterruptible
      /// A signal or a debugger has stopped the thread.
      case stopped
      /// The thread has ended.
      case ended
    }

    init(_ number: UInt32, _ kernelID: Int32, _ state: State, _ wait: Wait? = nil) {
      self.number = Int(number)
      self.kernelID = Int(kernelID)
      self.state = state
      self.wait = wait
      name = ThreadName.bare(number, kernelID)
      isMain = kernelID == csb_process_id()
      title =
        number == 0
        ? ThreadName.ofStranger(kernelID, isMain: isMain)
        : ThreadName.of(number, kernelID, isMain: isMain)
    }

    /// The thread's line in a report.
    var words: String { title + (wait?.words ?? " " + state.words) }
  }

  /// A thread's wait in a call of this library.
  public struct Wait: Sendable {
    /// The kind of wait, as it reads between "waits" and the ``resource``: "in
    /// sync, for".
    public let reason: String
    /// The resource that the thread waits for: "the queue "com.example.db"".
    public let resource: String
    /// Where the thread began to wait: "on the queue "com.example.ui"". Empty
    /// if it was on no queue.
    public let place: String
    /// The task of Swift's runtime in which the thread waits, with its number, its name and its
    /// priority: "task 17 "decode" (user-initiated)", or "a job of an actor". nil if the thread runs neither, or it
    /// cannot be read.
    public let task: String?
    /// Nanoseconds since the wait began.
    public let length: UInt64
    /// Whether the wait has a timeout.
    public let isTimed: Bool
    /// The number of the thread that holds the resource; nil if no thread or
    /// several threads hold it.
    public let owner: Int?
    /// The owner's name in messages.
    public let ownerTitle: String?
    /// The owner in the thread's line, after "held by".
    private let holder: String?
    /// The functions on the thread's stack.
    package let stack: Backtrace

    /// The program's functions on the thread's stack, the innermost first: "Server.handle() -> () in server".
    /// They exclude functions of this library, of Swift's runtime and of code without symbols.
    /// Takes some milliseconds for each file that contains functions of the stack. A report's
    /// text and JSON also contain them, and read each file only once for all threads.
    public var functions: [String] { stack.programFunctions(in: Symbolizer(stack.addresses)) }

    init(_ wait: WaitRecord.Snapshot) {
      reason = wait.reason.words
      resource = wait.resource
      place = wait.place
      task = wait.task
      length = wait.length.nanoseconds
      isTimed = wait.isTimed
      stack = wait.functions
      owner = wait.owner == 0 ? nil : Int(wait.owner)
      ownerTitle = wait.owner == 0 ? nil : ThreadName.of(wait.owner)
      // A thread that waits for work on its own queue holds that queue and is only idle.
      holder =
        wait.reason == .mainQueue ? nil : wait.owner == wait.thread ? "itself" : ownerTitle
    }

    /// A line of a report for each of the program's functions.
    func lines(ofFunctionsIn symbols: Symbolizer) -> [String] {
      stack.programFunctions(in: symbols).map { "    at \($0)" }
    }

    private var whereItWaits: String {
      let places = [place, task.map { "in \($0)" } ?? ""].filter { !$0.isEmpty }
      return places.isEmpty ? "" : ", \(places.joined(separator: ", ")),"
    }

    /// The thread's line in a report, after its name.
    fileprivate var words: String {
      whereItWaits + " waits \(reason) \(resource) (for \(WaitLength(nanoseconds: length).words))"
        + (holder.map { ", held by \($0)" } ?? "") + (isTimed ? ", with a time-out" : "")
    }
  }
}

extension SignalboxReport.Thread.State {
  /// The words of a report after the thread's name.
  fileprivate var words: String {
    switch self {
    case .waiting: "waits"
    case .running: "runs"
    case .ready: "is ready, and waits for a processor"
    case .sleeping: "sleeps outside this library, or has no work"
    case .uninterruptible: "waits in the kernel, for a disk or the like"
    case .stopped: "is stopped, by a signal or a debugger"
    case .ended: "has ended"
    }
  }
}
