// DispatchQueue+Jobs — how the jobs of Swift's concurrency come to a queue.

import CSignalbox
package import SignalboxRuntime

extension DispatchQueue {
  /// Appends a job to one of `JobQueues`: as urgent as the queue, whatever its flags
  /// seem to say. Any thread.
  @inline(__always)
  final func pushJob(_ item: ItemPointer) {
    if Fork.hasHappened { checkFork() }
    Probe.jobSubmitted(item, to: address)
    if list.append(item) && state.announce() == .enlist { inviteForJobs() }
  }

  private func inviteForJobs() {
    // A job of this queue has made another: its worker comes to that by itself, as soon as
    // this one waits. Another comes and helps if that takes long.
    if let inner = QueueFrame.innermost?.pointee.queue, inner.toOpaque() == address {
      enlistHelp()
    } else {
      enlist(at: base)
    }
  }

  /// Submits a job as an item, as `async` does, where Swift's runtime asks the queue to.
  ///
  /// The runtime has no reference to the queue. What has one may be freed by the job, which
  /// another thread can run to its end before this one is done with the queue.
  package final func submit(_ item: ItemPointer) {
    // SAFETY: kept by the next line, and given back by the last.
    let object = Unmanaged.passUnretained(self).toOpaque()
    csb_object_retain(object)
    push(item)
    csb_object_release(object)
  }
}
