// JobFunctions — how Swift's runtime submits the jobs of tasks, with their priorities.
//
// The runtime searches for this function only in libraries that follow its own in the linker's
// order. So it finds the function in a `libdispatch.so`, but not in a program. Without this
// function, the runtime submits each job with dispatch_async_f to a queue that it has made for the
// job's priority.

import CSignalbox
import CSignalboxDropIn
import SignalboxDispatch
import SignalboxRuntime

/// Submits a job: to the main queue, or to the queue for jobs of its class.
@_cdecl("dispatch_async_swift_job")
package func dispatchAsyncSwiftJob(
  _ queue: Handle?, _ job: UnsafeMutableRawPointer?, _ qosClass: UInt32
) {
  // The runtime finds this function in libdispatch.so even if the queue belongs to the
  // program's own copy.
  if csb_copy_is_idle() != 0 { return csd_job_forward(queue, job) }
  Handles.queue(queue, "dispatch_async_swift_job")._withUnsafeGuaranteedRef {
    $0.submit(
      FunctionCall(csd_job_run, job),
      asJobOf: DispatchQoS.QoSClass(number: qosClass) ?? .default)
  }
}
