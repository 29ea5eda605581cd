// AskedTrace — the thread that makes a recording for a tool in another process (`signalbox trace`).
//
// It ends the recording after the time that the tool asked for, when the tool says so, or when the
// tool is gone; shows the tool a copy; and leaves nothing behind. It sleeps in a plain system call,
// so it does not appear in the recording.

import CSignalbox
import SignalboxDiagnostics
import SignalboxRuntime
import Synchronization

enum AskedTrace {
  /// The futex word to sleep on. It never changes, and no thread wakes its sleeper.
  private static let word = Atomic<UInt32>(0)

  /// The interval at which the thread looks for orders, because the tool does not wake it.
  private static var step: UInt64 { 10_000_000 }
  /// How long the tool may be silent: many times its interval, because a busy machine delays it.
  private static var silenceLimit: UInt64 { 5_000_000_000 }
  /// The longest recording, and the most memory.
  private static var longest: UInt64 { 3_600_000_000_000 }
  private static var most: UInt64 { 1 << 30 }

  static func serve() {
    let wish = csb_request_wish()
    var options = TraceRecorder.Options()
    options.memory = Int(min(max(wish.memory, 1), most))
    let session: UInt32
    do {
      session = try TraceRecorder.startAsked(options)
    } catch {
      return refuse(error)
    }
    let due = Clock.uptime.now.saturatingAdd(min(wish.duration, longest))
    csb_request_step(UInt64(CSB_REQUEST_RUNNING))
    let isThere = wait(for: Int(CSB_ORDER_END), until: due)
    TraceCapture.shared.end(session)
    if isThere, !show(session) {
      TraceCapture.shared.discard(session)
      return csb_request_refuse(UInt64(CSB_REFUSAL_NO_MEMORY), ENOMEM)
    }
    TraceCapture.shared.discard(session)
    csb_request_end()
  }

  private static func refuse(_ error: TraceRecorderError) {
    switch error {
    case .noMemory(_, _, let code): csb_request_refuse(UInt64(CSB_REFUSAL_NO_MEMORY), code)
    default: csb_request_refuse(UInt64(CSB_REFUSAL_IN_USE), 0)
    }
  }

  /// Shows the tool a copy of the recording until it has read it.
  ///
  /// - Returns: false if there is no memory for the copy.
  private static func show(_ session: UInt32) -> Bool {
    TraceCapture.shared.withCopy(.demanded, of: session) { copy in
      csb_request_show(copy.base, UInt64(copy.usedSize))
      _ = wait(for: Int(CSB_ORDER_FREE), until: .max)
      return true
    } ?? false
  }

  /// Sleeps until the tool gives this order, or until `due`.
  ///
  /// - Returns: false if the tool is gone.
  private static func wait(for order: Int, until due: UInt64) -> Bool {
    var pulse = csb_request_pulse()
    var heard = Clock.uptime.now
    while true {
      let now = Clock.uptime.now
      if Int(csb_request_order()) == order || now >= due { return true }
      if csb_request_pulse() != pulse { (pulse, heard) = (csb_request_pulse(), now) }
      if now.saturatingSubtract(heard) > silenceLimit { return false }
      _ = FutexSleeper.sleep(
        while: wordAddress(word), is: 0,
        until: Deadline(.uptime, min(due, now.saturatingAdd(step))))
    }
  }
}

/// `CSignalbox` calls this on a thread of its own.
@_cdecl("csb_recording_serve")
func recordingServe() { AskedTrace.serve() }
