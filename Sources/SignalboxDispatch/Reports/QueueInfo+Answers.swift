// QueueInfo+Answers — the functions that the engine calls to learn about queues; see `QueueInfo` in
// SignalboxRuntime.

import SignalboxRuntime

/// Called through `csb_queue_words`.
@_cdecl("csb_dispatch_words")
func describeQueues(_ stack: UnsafeRawPointer, _ words: UnsafeMutableRawPointer) {
  // SAFETY: `ThreadStack.place` passes a stack and a string.
  let stack = stack.assumingMemoryBound(to: ThreadStack.self)
  words.assumingMemoryBound(to: String.self).pointee = stack.pointee.queueWords
}

/// Called through `csb_queue_run`.
@_cdecl("csb_dispatch_run")
func runOnGlobalQueue(
  _ work: @convention(c) (UnsafeMutableRawPointer) -> Void, _ context: UnsafeMutableRawPointer
) {
  DispatchQueue.global().sync { work(context) }
}

/// Called through `csb_queue_label`.
@_cdecl("csb_dispatch_label")
func copyLabel(_ queue: UnsafeRawPointer, _ buffer: UnsafeMutablePointer<CChar>, _ size: Int) {
  // SAFETY: the caller has a reference to the queue, and a buffer of this size.
  let label = Unmanaged<DispatchQueue>.fromOpaque(queue)._withUnsafeGuaranteedRef { $0.label }
  label.copyAsCString(to: UnsafeMutableBufferPointer(start: buffer, count: size))
}
