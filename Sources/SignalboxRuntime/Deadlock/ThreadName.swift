// ThreadName — a thread as messages name it: by number, kernel id and name.

import CSignalbox

package enum ThreadName {
  /// The thread of this number, with what is still known of it.
  package static func of(_ thread: UInt32) -> String {
    let kernelID = csb_thread_find_kernel_id(thread)
    if kernelID == 0 { return "thread \(thread)" }
    return of(thread, kernelID, isMain: kernelID == csb_process_id())
  }

  static func of(_ thread: UInt32, _ kernelID: Int32, isMain: Bool) -> String {
    "thread \(thread) (" + inKernel(kernelID, isMain: isMain) + ")"
  }

  /// A thread that has no number, since it never used this library.
  static func ofStranger(_ kernelID: Int32, isMain: Bool) -> String {
    "the thread without a number (" + inKernel(kernelID, isMain: isMain) + ")"
  }

  private static func inKernel(_ kernelID: Int32, isMain: Bool) -> String {
    let name = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16) { bytes in
      csb_look_at_name(kernelID, bytes.baseAddress!)
      return String(cString: bytes.baseAddress!)
    }
    return "kernel \(kernelID)" + (name.isEmpty ? "" : ", \"\(name)\"")
      + (isMain ? ", the main thread" : "")
  }
}
