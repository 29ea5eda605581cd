// ReportedThread — a thread in a report.

import SignalboxRuntime

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
    let title: String

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

    /// The thread's line in a report.
    var words: String { "\(title) \(surveyed?.words ?? "waits")" }

    /// The state in the kernel's list of threads; nil for a thread that waits
    /// in this library.
    private let surveyed: ThreadSurvey.State?

    init(_ wait: WaitRecord.Snapshot) {
      number = Int(wait.thread)
      kernelID = Int(wait.kernelID)
      name = ThreadName.bare(wait.thread, wait.kernelID)
      title = ThreadName.of(wait.thread)
      isMain = wait.kernelID == ProcessNumber.current
      state = .waiting
      surveyed = nil
      self.wait = Wait(wait)
    }

    init(_ thread: ThreadSurvey.Thread) {
      number = Int(thread.number)
      kernelID = Int(thread.kernelID)
      name = ThreadName.bare(thread.number, thread.kernelID)
      title = thread.name
      isMain = thread.kernelID == ProcessNumber.current
      state = State(thread.state)
      surveyed = thread.state
      wait = nil
    }
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
    /// Nanoseconds since the wait began.
    public let length: UInt64
    /// Whether the wait has a timeout.
    public let isTimed: Bool
    /// The number of the thread that holds the resource; nil if no thread or
    /// several threads hold it.
    public let owner: Int?
    /// The owner's name in messages.
    public let ownerTitle: String?

    init(_ wait: WaitRecord.Snapshot) {
      reason = wait.reason.words
      resource = wait.resource
      place = wait.place
      length = wait.length.nanoseconds
      isTimed = wait.isTimed
      owner = wait.owner == 0 ? nil : Int(wait.owner)
      ownerTitle = wait.owner == 0 ? nil : ThreadName.of(wait.owner)
    }
  }
}

extension SignalboxReport.Thread.State {
  fileprivate init(_ state: ThreadSurvey.State) {
    switch state {
    case .running: self = .running
    case .ready: self = .ready
    case .sleeping: self = .sleeping
    case .uninterruptible: self = .uninterruptible
    case .stopped: self = .stopped
    case .ended: self = .ended
    }
  }
}
