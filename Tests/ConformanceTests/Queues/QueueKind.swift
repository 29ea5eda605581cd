import SignalboxDispatch
import SignalboxTestSupport

/// The kinds of queue on which the tests check documented behaviour.
enum QueueKind: CaseIterable, CustomStringConvertible {
  case serial
  case concurrent
  case serialOnSerial
  case concurrentOnConcurrent
  case global

  /// Whether items may run concurrently.
  var runsSideBySide: Bool {
    switch self {
    case .serial, .serialOnSerial: false
    case .concurrent, .concurrentOnConcurrent, .global: true
    }
  }

  /// Whether a barrier differs from a plain submission.
  var knowsBarriers: Bool {
    switch self {
    case .concurrent, .concurrentOnConcurrent: true
    case .serial, .serialOnSerial, .global: false
    }
  }

  var canBeSuspended: Bool { self != .global }

  func makeQueue(qos: DispatchQoS = .unspecified) -> DispatchQueue {
    switch self {
    case .serial:
      DispatchQueue(label: "test.serial", qos: qos)
    case .concurrent:
      DispatchQueue(label: "test.concurrent", qos: qos, attributes: .concurrent)
    case .serialOnSerial:
      DispatchQueue(
        label: "test.serial.over", qos: qos, target: DispatchQueue(label: "test.serial.under"))
    case .concurrentOnConcurrent:
      DispatchQueue(
        label: "test.concurrent.over", qos: qos, attributes: .concurrent,
        target: DispatchQueue(label: "test.concurrent.under", attributes: .concurrent))
    case .global:
      DispatchQueue.global()
    }
  }

  var description: String {
    switch self {
    case .serial: "serial"
    case .concurrent: "concurrent"
    case .serialOnSerial: "serial on serial"
    case .concurrentOnConcurrent: "concurrent on concurrent"
    case .global: "global"
    }
  }
}

/// Every quality of service, plus one with a relative priority.
let everyQoS: [DispatchQoS] =
  [.background, .utility, .default, .userInitiated, .userInteractive, .unspecified]
  + [DispatchQoS(qosClass: .utility, relativePriority: -3)]

/// Every flag of a work item, and all of them together.
var everyFlags: [DispatchWorkItemFlags] {
  [
    [], .barrier, .detached, .assignCurrentContext, .noQoS, .inheritQoS, .enforceQoS,
    [.barrier, .enforceQoS],
    [.barrier, .detached, .assignCurrentContext, .noQoS],
  ]
}

/// A work item that several threads use.
struct SharedItem: @unchecked Sendable {
  // SAFETY: any thread may call every method of a work item, although the type does not say so.
  let item: DispatchWorkItem
  init(_ item: DispatchWorkItem) { self.item = item }
}

/// A variable that only the library's ordering protects. ThreadSanitizer reports where that
/// ordering is missing.
final class Unprotected<Value>: @unchecked Sendable {
  // SAFETY: the test claims that its accesses never overlap.
  var value: Value
  init(_ value: Value) { self.value = value }
}

/// Returns `DispatchTime.now()` plus a `Duration`.
func deadline(after duration: Duration) -> DispatchTime {
  .now() + .nanoseconds(Int(duration.wholeNanoseconds))
}

func wallDeadline(after duration: Duration) -> DispatchWallTime {
  .now() + .nanoseconds(Int(duration.wholeNanoseconds))
}
