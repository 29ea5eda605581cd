// ThreadSurvey — every thread of the process, and its state in the kernel.
//
// It comes from the kernel's own list, so it includes threads that never used the library.
// The list does not distinguish a running thread from one that is ready and waits for a
// processor. The thread's clock does: it does not advance while the thread does not run.

import CSignalbox

package struct ThreadSurvey: Sendable {
  /// The state of one thread at one moment.
  package struct Thread: Sendable {
    package let kernelID: Int32
    /// 0 if the thread has never used this library.
    package let number: UInt32
    package let state: State

    /// The thread's name in messages.
    package var name: String {
      let isMain = kernelID == csb_process_id()
      if number != 0 { return ThreadName.of(number, kernelID, isMain: isMain) }
      return ThreadName.ofStranger(kernelID, isMain: isMain)
    }
  }

  package enum State: Sendable {
    case running, ready, sleeping, uninterruptible, stopped, ended

    /// The words of a report after the thread's name.
    package var words: String {
      switch self {
      case .running: "runs"
      case .ready: "is ready, and waits for a processor"
      case .sleeping: "sleeps outside this library, or for want of work"
      case .uninterruptible: "waits in the kernel, for a disk or the like"
      case .stopped: "is stopped, by a signal or a debugger"
      case .ended: "has ended"
      }
    }
  }

  /// All threads, in the order of the kernel's list. Reads some files for each.
  package static var threads: [Thread] {
    kernelIDs.map { id in
      Thread(kernelID: id, number: csb_thread_find_number(id), state: state(of: id))
    }
  }

  private static var kernelIDs: [Int32] {
    var room = 64
    while true {
      var ids = [Int32](repeating: 0, count: room)
      let count = csb_look_at_threads(&ids, ids.count)
      // Without /proc a thread knows only itself.
      if count < 0 { return [csb_thread_kernel_id()] }
      if count <= room { return Array(ids[..<count]) }
      room = count * 2
    }
  }

  /// How long a thread's clock is observed, in nanoseconds: a few times what reading it
  /// takes.
  private static let look: UInt64 = 20_000

  private static func state(of id: Int32) -> State {
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
