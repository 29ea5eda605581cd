// KernelThread — a thread as it is asked of the system.

import CSignalbox

struct KernelThread {
  let body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?
  let context: UnsafeMutableRawPointer?
  /// In bytes; 0 for the usual one.
  var stackSize = 0

  /// - Returns: 0, or what the kernel refused it with.
  func create() -> Int32 { csb_thread_start(body, context, stackSize) }
}
