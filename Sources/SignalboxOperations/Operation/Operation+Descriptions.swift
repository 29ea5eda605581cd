// Operation+Descriptions — the names of operations and queues in messages.

import SignalboxRuntime

extension Operation {
  /// "the operation "thumbnails" (ThumbnailOperation)".
  final var title: String {
    let type = TypeName.of(object: self)
    let name = lock.withLock { extras?.name }
    return name.map { "the operation \"\($0)\" (\(type))" }
      ?? "the \(type) \(UnsafeRawPointer(address))"
  }

  final var words: String {
    let (phase, isCancelled) = lock.withLock { (self.phase, isMarkedCancelled) }
    return "<\(title.dropFirst(4)): \(phase)\(isCancelled ? ", cancelled" : "")>"
  }

  final var address: UnsafeRawPointer {
    // SAFETY: the address is compared, and followed only by code that holds a reference.
    UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
  }
}

extension OperationQueue {
  /// "the operation queue "com.example.images"".
  final var title: String { "the operation queue \"\(shownName)\"" }

  final var address: UnsafeRawPointer {
    // SAFETY: see `Operation.address`.
    UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
  }
}
