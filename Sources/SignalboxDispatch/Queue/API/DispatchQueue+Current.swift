// DispatchQueue+Current — the queue that a thread is on.

import CSignalbox
import SignalboxRuntime

extension DispatchQueue {
  /// The queue whose item or innermost `sync` this code runs in, or nil outside of any queue.
  ///
  /// On the main thread, it is the main queue only while that queue is drained. Use it in reports.
  /// To check whether code may run here, use `dispatchPrecondition`, which also considers target
  /// queues.
  ///
  /// *Beyond Apple's API.*
  public class var current: DispatchQueue? {
    // SAFETY: a queue with a frame is kept until the frame ends.
    QueueFrame.innermost?.pointee.queue.takeUnretainedValue()
  }

  /// The label of ``current``.
  ///
  /// *Beyond Apple's API.*
  public class var currentLabel: String? { current?.label }
}

/// The label of `queue`, or of the queue this code runs on if `queue` is nil, as a C string.
///
/// The bytes live as long as the queue: copy them, as `String(cString:)` does. The first call
/// copies the label, and the queue keeps the copy. Outside of any queue, you get the main queue's
/// label on the main thread, and the default global queue's label on other threads.
///
/// Source: Apple's documentation of `dispatch_queue_get_label`, under the name that Swift
/// imports.
public func __dispatch_queue_get_label(_ queue: DispatchQueue?) -> UnsafePointer<CChar> {
  (queue ?? .currentOrDefault).labelBytes
}

/// The queue this code runs on. Outside of any queue, it is the main queue on the main thread, and
/// the default global queue on other threads.
///
/// Do not use it to avoid a deadlock: the thread may hold further queues. It is deprecated for
/// this reason, as it is on Apple's platforms.
///
/// Source: Apple's documentation of `dispatch_get_current_queue`.
@available(*, deprecated, message: "ask with dispatchPrecondition, or hand the queue on")
public func dispatch_get_current_queue() -> DispatchQueue { .currentOrDefault }

extension DispatchQueue {
  package static var currentOrDefault: DispatchQueue {
    .current ?? (csb_thread_is_main() != 0 ? .main : .global())
  }
}

/// A label with a zero byte at its end.
final class LabelBytes: SpecificValue {
  static let key = Key()
  final class Key: Sendable {}

  static var address: UnsafeRawPointer {
    // SAFETY: only compared, never followed.
    UnsafeRawPointer(Unmanaged.passUnretained(key).toOpaque())
  }

  // SAFETY: written before the object is published, freed with it.
  nonisolated(unsafe) let bytes: UnsafeMutablePointer<CChar>

  convenience init(_ label: String) {
    let utf8 = label.utf8CString
    self.init(count: utf8.count) { bytes in
      utf8.withUnsafeBufferPointer { bytes.initialize(from: $0.baseAddress!, count: $0.count) }
    }
  }

  /// A copy of a C string; `count` includes its zero byte.
  convenience init(_ label: UnsafePointer<CChar>, count: Int) {
    self.init(count: count) { $0.initialize(from: label, count: count) }
  }

  private init(count: Int, fill: (UnsafeMutablePointer<CChar>) -> Void) {
    bytes = UnsafeMutablePointer<CChar>.allocate(capacity: count)
    fill(bytes)
    super.init(key: LabelBytes.key)
  }

  deinit { bytes.deallocate() }
}

extension DispatchQueue {
  fileprivate final var labelBytes: UnsafePointer<CChar> {
    let value = specifics.value(of: LabelBytes.address, orInsert: { LabelBytes(label) })
    // Only this file knows the key, so the value is a `LabelBytes`.
    return UnsafePointer(unsafeDowncast(value, to: LabelBytes.self).bytes)
  }
}
