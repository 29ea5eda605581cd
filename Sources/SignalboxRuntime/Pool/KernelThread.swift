// KernelThread — the parameters of a thread that the system starts.

import CSignalbox

package struct KernelThread {
  package typealias Body = @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?

  let body: Body
  let context: UnsafeMutableRawPointer?
  /// In bytes; 0 for the usual size.
  let stackSize: Int

  init(body: Body, context: UnsafeMutableRawPointer?, stackSize: Int = 0) {
    self.body = body
    self.context = context
    self.stackSize = stackSize
  }

  /// Starts a thread for the library, with the priority of the process.
  ///
  /// - Returns: 0, or the errno with which the kernel refused the thread.
  package static func start(_ body: Body) -> Int32 {
    Starter.start(KernelThread(body: body, context: nil))
  }

  /// - Returns: 0, or the errno with which the kernel refused.
  func create() -> Int32 { csb_thread_start(body, context, stackSize) }
}
