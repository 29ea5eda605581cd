// Forms — the forms of waiting, which tests go through one by one. Each makes a new object to wait
// at.

@testable import SignalboxConcurrency
import SignalboxTestSupport
import Testing

/// What one form of waiting looks like from outside.
struct Form: Sendable, CustomStringConvertible {
  let description: String
  /// Waits.
  let wait: @Sendable () async throws -> Void
  /// Causes the awaited event, for this wait and others at the same object.
  let bring: @Sendable () -> Void
  /// How many waits the object remembers.
  let remembered: @Sendable () -> Int
}

enum FormKind: CaseIterable, CustomTestStringConvertible {
  case group, workItem, gate, notification, sleep

  var testDescription: String { "\(self)" }

  func make() -> Form {
    switch self {
    case .group:
      let group = DispatchGroup()
      group.enter()
      return Form(
        description: "group", wait: { try await group.finished() }, bring: { group.leave() },
        remembered: { group.noticeCount })
    case .workItem:
      // SAFETY: any thread may use a work item, although its type does not say so.
      nonisolated(unsafe) let item = DispatchWorkItem {}
      return Form(
        description: "work item", wait: { try await item.finished() },
        bring: { item.perform() }, remembered: { item.noticeCount })
    case .gate:
      let gate = AsyncGate()
      return Form(
        description: "gate", wait: { try await gate.passed() }, bring: { gate.open() },
        remembered: { gate.waitingCount })
    case .notification:
      let notification = AsyncNotification()
      let moment = notification.moment
      return Form(
        description: "notification", wait: { try await notification.posted(since: moment) },
        bring: { notification.post() }, remembered: { notification.waitingCount })
    case .sleep:
      let deadline = SignalboxClock.Instant.now.advanced(by: RealTime.delay)
      return Form(
        description: "sleep",
        wait: { try await Task.sleep(until: deadline, clock: .signalbox) },
        bring: {}, remembered: { 0 })
    }
  }
}
