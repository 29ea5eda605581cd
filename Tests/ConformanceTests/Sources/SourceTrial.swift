import SignalboxDispatch
import SignalboxTestSupport

/// The sources whose events a test can make at any time.
enum SourceKind: CaseIterable, CustomStringConvertible {
  case timer
  case read
  case userDataAdd
  case userDataOr
  case userDataReplace

  var description: String {
    switch self {
    case .timer: "timer"
    case .read: "read"
    case .userDataAdd: "user data add"
    case .userDataOr: "user data or"
    case .userDataReplace: "user data replace"
    }
  }
}

/// An inactive source of one of the kinds, and the means to make its events.
final class SourceTrial: @unchecked Sendable {
  // SAFETY: any thread may call a source's methods, although its type does not say so.
  let source: any DispatchSourceProtocol
  let descriptor: Int32?
  private let makeEvent: @Sendable () -> Void
  private let takeEvent: @Sendable () -> Void

  init(_ kind: SourceKind, on queue: DispatchQueue?) throws {
    switch kind {
    case .timer:
      let timer = Shared(DispatchSource.makeTimerSource(queue: queue))
      source = timer.value
      makeEvent = { timer.value.schedule(deadline: .now()) }
      takeEvent = {}
      descriptor = nil
    case .read:
      let ends = try Ends()
      source = DispatchSource.makeReadSource(fileDescriptor: ends.input, queue: queue)
      makeEvent = { ends.put() }
      takeEvent = { _ = ends.take() }
      descriptor = ends.input
    case .userDataAdd:
      let adder = Shared(DispatchSource.makeUserDataAddSource(queue: queue))
      source = adder.value
      makeEvent = { adder.value.add(data: 1) }
      takeEvent = {}
      descriptor = nil
    case .userDataOr:
      let setter = Shared(DispatchSource.makeUserDataOrSource(queue: queue))
      source = setter.value
      makeEvent = { setter.value.or(data: 1) }
      takeEvent = {}
      descriptor = nil
    case .userDataReplace:
      let replacer = Shared(DispatchSource.makeUserDataReplaceSource(queue: queue))
      source = replacer.value
      makeEvent = { replacer.value.replace(data: 1) }
      takeEvent = {}
      descriptor = nil
    }
  }

  /// Makes an event pending. Several events may merge into one.
  func fire() { makeEvent() }

  /// Call in the handler: consumes the cause of the event, so that it does not recur.
  func take() { takeEvent() }

  /// Consumes each event, and then runs `body`.
  func onEvent(_ body: @escaping @Sendable () -> Void) {
    let take = takeEvent
    source.setEventHandler {
      take()
      body()
    }
  }
}

/// Carries a value that is not Sendable to another thread.
struct Shared<Value>: @unchecked Sendable {
  // SAFETY: any thread may call a source's methods, although its type does not say so.
  let value: Value
  init(_ value: Value) { self.value = value }
}

/// Runs the body with a source of each kind, and ends the source afterwards. The source must be
/// active and not suspended by then.
func withEverySource(
  on makeQueue: () -> DispatchQueue? = { DispatchQueue(label: "test.source") },
  _ body: (SourceTrial) throws -> Void
) throws {
  try withEvery("source", in: SourceKind.allCases) { kind in
    let trial = try SourceTrial(kind, on: makeQueue())
    try body(trial)
    try end(trial.source)
  }
}

/// Cancels a source and waits until it has released its descriptor.
func end(_ source: any DispatchSourceProtocol) throws {
  if source.isCancelled { return }
  let gone = EventCounter("cancellations")
  source.setCancelHandler { gone.increment() }
  source.cancel()
  try gone.wait(for: 1)
}
