// MainFunctions — the main queue's thread: dispatch_main, and the functions by which
// CoreFoundation's main run loop serves the main queue.
//
// CoreFoundation polls our descriptor, reads its eight bytes, and calls back. It looks at the
// descriptor again before it sleeps, so an item that is submitted in between is not lost.

import CSignalbox
import SignalboxDispatch
import SignalboxRuntime

/// Serves the main queue for ever. A call on any other thread ends that thread, as in the
/// toolchain. A thread of the pool sleeps for ever instead, and the pool replaces it.
@_cdecl("dispatch_main")
package func dispatchMainFunction() -> Never {
  if csb_thread_is_main() != 0 { dispatchMain() }
  if Worker.ofThisThread == nil { csb_thread_exit() }
  let nothing = DispatchSemaphore(value: 0)
  while true { nothing.wait() }
}

/// A descriptor that is readable while the main queue has work: an eventfd, which the caller
/// reads.
@_cdecl("_dispatch_get_main_queue_port_4CF")
package func mainQueuePort() -> Int32 {
  MainQueueDrain.shared.noteDriven()
  return MainQueueDrain.shared.ownDescriptor
}

/// The same descriptor, under its other name.
@_cdecl("_dispatch_get_main_queue_handle_4CF")
package func mainQueueHandle() -> Int32 { mainQueuePort() }

/// Runs the items that wait on the main queue now. Within an item of the main queue it does
/// nothing.
@_cdecl("_dispatch_main_queue_callback_4CF")
package func mainQueueCallback(_ message: UnsafeMutableRawPointer?) {
  if csb_thread_is_main() == 0 {
    clientBug("_dispatch_main_queue_callback_4CF was called on another thread than the main one.")
  }
  _ = MainQueueDrain.shared.drainWaiting()
}
