// ThreadSurvey — every thread of the process, and what the kernel says it does.
//
// Read from the kernel's own list, so that threads are in it that never came here.
// The list does not tell a thread that runs from one that is ready and waits for a
// processor. Its clock does: it stands still as long as the thread does not run.

import CSignalbox

package struct ThreadSurvey: Sendable {
  /// A thread, as it was when it was looked at.
  package struct Thread: Sendable {
    package let kernelID: Int32
    /// 0 if it has never used this library.
    package let number: UInt32
    package let state: State

    /// As messages name it.
    package var name: String {
      let isMain = kernelID == csb_process_id()
      if number != 0 { return ThreadName.of(number, kernelID, isMain: isMain) }
      return ThreadName.ofStranger(kernelID, isMain: isMain)
    }
  }

  package enum State: Sendable {
    case running, ready, sleeping, uninterruptible, stopped, ended

    /// As it stands in a report, after the thread's name.
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

  /// All threads, in the order of the kernel's list. Some reads of files each.
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
      // Without /proc nobody knows more than of itself.
      if count < 0 { return [csb_thread_kernel_id()] }
      if count <= room { return Array(ids[..<count]) }
      room = count * 2
    }
  }

  /// How long a thread's clock is looked at: some times what it takes to read it.
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

  /// Whether a thread that is not asleep makes progress.
  private static func isRunning(_ id: Int32) -> Bool {
    let before = csb_thread_processor_time(id)
    let end = Clock.uptime.now + look
    repeat {
      if csb_thread_processor_time(id) > before { return true }
    } while Clock.uptime.now < end
    return false
  }
}
