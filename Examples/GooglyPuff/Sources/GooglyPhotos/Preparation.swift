// Preparation — something that takes long to make and is made once, on a queue of its own.
//
// Whoever needs it before it is made waits on that queue, where a recording shows it.
//
// Touching  `made`: in items of the serial queue only.

import SignalboxDispatch
import SignalboxTrace

// SAFETY: see Touching.
final class Preparation<Made: Sendable>: @unchecked Sendable {
  private let what: String
  private let queue: DispatchQueue
  private let make: @Sendable () throws(PhotoFailure) -> Made
  private var made: Made?

  init(
    _ what: String, on label: String, _ make: @escaping @Sendable () throws(PhotoFailure) -> Made
  ) {
    self.what = what
    queue = DispatchQueue(label: label)
    self.make = make
  }

  /// Begins, so that it is there sooner. Whether that failed is told to who needs it, who tries
  /// again.
  func begin() {
    queue.async { _ = self.attempt() }
  }

  func value() throws(PhotoFailure) -> Made {
    try queue.sync { attempt() }.get()
  }

  private func attempt() -> Result<Made, PhotoFailure> {
    if let made { return .success(made) }
    TraceRecorder.mark("loads \(what)")
    let result = Result { () throws(PhotoFailure) in try make() }
    if case .success(let new) = result { made = new }
    return result
  }
}
