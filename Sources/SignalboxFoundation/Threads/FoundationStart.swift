// FoundationStart — what is arranged before the program begins: that notifications of threads
// and ports are posted.
//
// The modules of threads and ports know no notifications. They leave hooks, which are filled
// here by a constructor, so that observers of any origin hear them, also those of a library
// that knows nothing of Signalbox.

import Foundation
import SignalboxRunLoop
import SignalboxThreads

/// Called by a constructor of `CSignalbox`.
@c(csb_foundation_begin)
func beginFoundation() {
  ThreadHook.becomingMultiThreaded.set { _ in
    NotificationCenter.default.post(name: .NSWillBecomeMultiThreaded, object: nil)
  }
  ThreadHook.exiting.set { thread in
    NotificationCenter.default.post(name: .NSThreadWillExit, object: thread)
  }
  PortHook.whenInvalidated = { port in
    NotificationCenter.default.post(name: Port.didBecomeInvalidNotification, object: port)
  }
}
