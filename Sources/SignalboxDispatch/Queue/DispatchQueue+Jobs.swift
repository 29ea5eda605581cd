// DispatchQueue+Jobs — how the jobs of Swift's concurrency come to a queue.

package import SignalboxRuntime

extension DispatchQueue {
  /// Appends a job to one of `JobQueues`: as urgent as the queue, whatever its flags
  /// seem to say. Any thread.
  @inline(__always)
  package final func pushJob(_ item: ItemPointer) {
    if Probe.itemSubmitted(item, to: address) { checkFork() }
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

  /// Submits an item of another module's making, as `async` does.
  package final func submit(_ item: ItemPointer) { push(item) }
}
