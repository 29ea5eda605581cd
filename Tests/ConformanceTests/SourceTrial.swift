import SignalboxDispatch
import SignalboxTestSupport

/// The sources whose events a test can make when it wants one.
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

/// A source of one of the kinds, inactive, and what makes an event of it.
final class SourceTrial: @unchecked Sendable {
  // SAFETY: a source's methods may be called from any thread, whatever its type says.
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

  /// Makes an event pending. Several may become one.
  func fire() { makeEvent() }

  /// In the handler: takes what made the event, so that it does not come again.
  func take() { takeEvent() }

  /// Takes each event, and then does `body`.
  func onEvent(_ body: @escaping @Sendable () -> Void) {
    let take = takeEvent
    source.setEventHandler {
      take()
      body()
    }
  }
}

/// Carries what is not marked Sendable to another thread.
struct Shared<Value>: @unchecked Sendable {
  // SAFETY: a source's methods may be called from any thread, whatever its type says.
  let value: Value
  init(_ value: Value) { self.value = value }
}

/// Runs the body with a source of each kind, and ends the source afterwards: it must
/// be active and not suspended then.
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

/// Cancels a source and waits until it has let its descriptor go.
func end(_ source: any DispatchSourceProtocol) throws {
  if source.isCancelled { return }
  let gone = EventCounter("cancellations")
  source.setCancelHandler { gone.increment() }
  source.cancel()
  try gone.wait(for: 1)
}
