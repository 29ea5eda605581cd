// WaitWords — a wait, what holds it up and what could end it, in the words of reports.

package import SignalboxRuntime

extension WaitReason {
  /// The text of a report after "waits".
  package var words: String { phrase.description }

  /// Whether the thread must take a lock before it continues.
  var needsLock: Bool { isForLock || self == .condition || self == .value }
}

extension WaitHold {
  /// Whether the thread holds the awaited resource itself.
  var isWhole: Bool { way == .owns || way == .shares }

  /// The text of a report before the name of the thread.
  var words: String {
    switch way {
    case .owns: "held by"
    case .shares: "shared by"
    case .works: "whose work is run by"
    case .holdsBack: "whose work waits behind"
    }
  }
}

extension WaitRelease {
  /// What another thread may do, as the words after "another thread". `resource` is what the
  /// thread waits for.
  func words(_ resource: String) -> String {
    switch self {
    case .nobody: ""
    case .unlock: "unlocks \(resource) for its holder"
    case .perform: "performs the work item"
    case .finish: "finishes the operation"
    case .dependency: "cancels the operation or removes the dependency"
    case .width: "raises maxConcurrentOperationCount of the operation queue"
    }
  }
}
