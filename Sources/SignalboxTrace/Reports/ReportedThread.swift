// ReportedThread — a thread as a report shows it.

import SignalboxRuntime

extension SignalboxReport {
  /// A thread, and what it does.
  public struct Thread: Sendable {
    /// The number that messages call it by; 0 if it has never used this library.
    public let number: Int
    /// The kernel's number.
    public let kernelID: Int
    /// Its name; empty if it has none.
    public let name: String
    /// Whether it is the process's first thread.
    public let isMain: Bool
    /// What it does.
    public let state: State
    /// What it waits for, if it waits in a call of this library.
    public let wait: Wait?
    /// How messages call it.
    let title: String

    /// What a thread does.
    public enum State: String, Sendable, CaseIterable {
      /// It waits in a call of this library.
      case waiting
      /// It runs, or could.
      case running
      /// It waits for a processor.
      case ready
      /// It sleeps outside this library, or for want of work.
      case sleeping
      /// It waits in the kernel, for a disk or the like.
      case uninterruptible
      /// A signal or a debugger has stopped it.
      case stopped
      /// It has ended.
      case ended
    }

    /// The thread's line.
    var words: String { "\(title) \(surveyed?.words ?? "waits")" }

    /// What the kernel's list says of it; nil for one that waits.
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

  /// A thread's wait.
  public struct Wait: Sendable {
    /// Why, as it stands between "waits" and the ``resource``: "in sync, for".
    public let reason: String
    /// What it waits for: "the queue "com.example.db"".
    public let resource: String
    /// Where it was when it began to wait: "on the queue "com.example.ui""; empty if nowhere.
    public let place: String
    /// Nanoseconds since it began.
    public let length: UInt64
    /// Whether it ends by itself some day.
    public let isTimed: Bool
    /// The number of the thread that holds the resource; nil where nobody does, or several.
    public let owner: Int?
    /// How messages call that thread.
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
