// FoundationStart — makes threads and ports post notifications, before the program begins.
//
// The thread and port modules know nothing about notifications, but they have hooks. A constructor
// sets these hooks through the function here, so that every observer receives the notifications,
// even in a library that knows nothing about Signalbox.

import Foundation
import SignalboxRunLoop
import SignalboxThreads

/// Called by a constructor of `CSignalbox`.
@_cdecl("csb_foundation_begin")
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
