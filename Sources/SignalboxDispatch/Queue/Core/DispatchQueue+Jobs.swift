// DispatchQueue+Jobs — how jobs of Swift concurrency reach a queue.

import CSignalbox
package import SignalboxRuntime

extension DispatchQueue {
  /// Appends a job to one of `JobQueues`, at the queue's urgency; the job's flags are ignored.
  /// Any thread.
  ///
  /// - Parameter isInPlace: whether the item is in the job's own memory.
  @inline(__always)
  final func pushJob(_ item: ItemPointer, isInPlace: Bool) {
    if Fork.hasHappened { checkFork() }
    Probe.jobSubmitted(item, to: address, isInPlace: isInPlace)
    if list.append(item) && state.announce() == .schedule { scheduleForJobs() }
  }

  private func scheduleForJobs() {
    // A job of this queue submitted another one. This worker takes that job by itself once the
    // current one suspends; another worker helps if that takes long.
    if let inner = QueueFrame.innermost?.pointee.queue, inner.toOpaque() == address {
      scheduleHelp()
    } else {
      schedule(at: base)
    }
  }

  /// Submits a job as an item, as `async` does. Swift's runtime calls it.
  ///
  /// The runtime holds no reference to the queue. The job may free the object that holds one, and
  /// another thread can run the job to its end while this thread still uses the queue.
  package final func submit(_ item: ItemPointer) {
    // SAFETY: the next line retains it, and the last one releases it.
    let object = Unmanaged.passUnretained(self).toOpaque()
    csb_object_retain(object)
    push(item)
    csb_object_release(object)
  }
}
