// AskedRecording — a recording that a tool in another process asks for. See Internals/Asked.md.
//
// A probe that finds the request starts a thread, which calls the recorder by name. The probe takes
// none of the engine's locks, because its thread may hold any of them.

import CSignalbox

enum AskedRecording {
  /// Probes that a signal handler may reach. A handler must not start a thread: it may have
  /// interrupted the allocator.
  private static var unsafe: UInt32 { EventKind.semaphoreSignalled.bit | EventKind.wake.bit }

  /// Handles what looks like a tool's request for a recording.
  ///
  /// - Parameter bits: the probe's bits.
  @inline(never)
  static func notice(at bits: UInt32) {
    guard bits & unsafe == 0, csb_request_claim() != 0 else { return }
    // Do not use the starter, which has a lock. If this thread has a lower priority, the new thread
    // inherits it, and the recording is written a little later.
    let thread = KernelThread(
      body: { _ in
        csb_thread_set_name("sb-trace")
        csb_request_serve()
        return nil
      }, context: nil)
    let error = thread.create()
    if error != 0 { csb_request_refuse(UInt64(CSB_REFUSAL_NO_THREAD), error) }
  }
}
