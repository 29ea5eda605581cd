// DispatchQueue+Jobs — queues for jobs that another scheduler makes and cuts up itself, and
// that the pool only runs: those of Swift's concurrency.

import CSignalbox
package import SignalboxRuntime

extension DispatchQueue {
  /// Makes a queue whose jobs run side by side. It lives as long as the process.
  package static func forJobs(label: String, qos: DispatchQoS.QoSClass) -> DispatchQueue {
    let queue = DispatchQueue(
      shape: .concurrent, label: label, qos: DispatchQoS(qosClass: qos, relativePriority: 0),
      inactive: false, target: nil)
    // SAFETY: held for ever; its references need not be counted.
    csb_immortalize(Unmanaged.passRetained(queue).toOpaque())
    return queue
  }

  /// Appends a job to a queue made by `forJobs`: as urgent as the queue, whatever its flags
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
