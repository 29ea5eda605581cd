// ThreadSurvey — every thread of the process, and its state in the kernel.
//
// It comes from the kernel's own list, so it includes threads that never used the library.
// The list does not distinguish a running thread from one that is ready and waits for a
// processor. The thread's clock does: it does not advance while the thread does not run.

import CSignalbox
import SignalboxRuntime

package enum ThreadSurvey {
  /// All threads but those with these numbers, in the order of the kernel's list. Reads some
  /// files for each.
  package static func threads(except known: Set<UInt32> = []) -> [SignalboxReport.Thread] {
    kernelIDs.compactMap { id in
      let number = csb_thread_find_number(id)
      return known.contains(number) ? nil : SignalboxReport.Thread(number, id, state(of: id))
    }
  }

  private static var kernelIDs: [Int32] {
    var room = 64
    while true {
      var ids = [Int32](repeating: 0, count: room)
      let count = csb_look_at_threads(&ids, ids.count)
      // Without /proc, a thread knows only itself.
      if count < 0 { return [csb_thread_kernel_id()] }
      if count <= room { return Array(ids[..<count]) }
      room = count * 2
    }
  }

  /// How long a thread's clock is observed, in nanoseconds: a few times what reading it
  /// takes.
  private static let look: UInt64 = 20_000

  private static func state(of id: Int32) -> SignalboxReport.Thread.State {
    if id == csb_thread_kernel_id() { return .running }
    switch UInt8(bitPattern: csb_thread_state(id)) {
    case UInt8(ascii: "R"): return isRunning(id) ? .running : .ready
    case UInt8(ascii: "S"), UInt8(ascii: "I"): return .sleeping
    case UInt8(ascii: "D"): return .uninterruptible
    case UInt8(ascii: "T"), UInt8(ascii: "t"): return .stopped
    default: return .ended
    }
  }

  /// Whether a thread that does not sleep makes progress.
  private static func isRunning(_ id: Int32) -> Bool {
    let before = csb_thread_processor_time(id)
    let end = Clock.uptime.now + look
    repeat {
      if csb_thread_processor_time(id) > before { return true }
    } while Clock.uptime.now < end
    return false
  }
}
