// DispatchQueue+Current — the queue that a thread is on.

import CSignalbox
import SignalboxRuntime

extension DispatchQueue {
  /// The queue whose work this code is: that of the item or of the innermost
  /// `sync`; nil off any queue.
  ///
  /// On the main thread it is the main queue only while that is drained. For
  /// reports; whether code may go on is asked with `dispatchPrecondition`, which
  /// knows of targets.
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

/// The label of `queue`, as C has it; with nil that of the queue this code is on.
///
/// The bytes stay for as long as the queue does: copy them, as `String(cString:)`
/// does. The first call costs a copy of the label, which the queue keeps. Off any
/// queue it is the main queue's label on the main thread, elsewhere that of the
/// default global queue, on which the thread's work would count.
///
/// Source: Apple's documentation of `dispatch_queue_get_label`, by the name that
/// Swift sees.
public func __dispatch_queue_get_label(_ queue: DispatchQueue?) -> UnsafePointer<CChar> {
  (queue ?? currentOrDefault).labelBytes
}

/// The queue this code is on. Off any queue it is the main queue on the main thread,
/// elsewhere the default global queue.
///
/// Whoever asks it in order to avoid a deadlock is misled: the thread may hold further
/// queues. Hence it is deprecated, as it is with Apple.
///
/// Source: Apple's documentation of `dispatch_get_current_queue`.
@available(*, deprecated, message: "ask with dispatchPrecondition, or hand the queue on")
public func dispatch_get_current_queue() -> DispatchQueue { currentOrDefault }

private var currentOrDefault: DispatchQueue {
  .current ?? (csb_thread_is_main() != 0 ? .main : .global())
}

/// A label with a zero behind it.
final class LabelBytes: SpecificValue {
  /// By which a queue finds its own.
  static let key = Key()
  final class Key: Sendable {}

  // SAFETY: written before the object is published, freed with it.
  nonisolated(unsafe) let bytes: UnsafeMutablePointer<CChar>

  init(_ label: String) {
    let utf8 = label.utf8CString
    let bytes = UnsafeMutablePointer<CChar>.allocate(capacity: utf8.count)
    self.bytes = bytes
    utf8.withUnsafeBufferPointer { bytes.initialize(from: $0.baseAddress!, count: $0.count) }
    super.init(key: LabelBytes.key)
  }

  deinit { bytes.deallocate() }
}

extension DispatchQueue {
  fileprivate final var labelBytes: UnsafePointer<CChar> {
    // SAFETY: compared, not followed.
    let key = UnsafeRawPointer(Unmanaged.passUnretained(LabelBytes.key).toOpaque())
    let value = specifics.value(of: key, orInsert: { LabelBytes(label) })
    // Only this file knows the key.
    return UnsafePointer(unsafeDowncast(value, to: LabelBytes.self).bytes)
  }
}
