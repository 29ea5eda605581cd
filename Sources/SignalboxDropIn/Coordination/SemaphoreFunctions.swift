// SemaphoreFunctions — the functions of <dispatch/semaphore.h>.

import Glibc
import SignalboxDispatch
import SignalboxRuntime

/// A new semaphore; NULL for a negative value.
@_cdecl("dispatch_semaphore_create")
package func dispatchSemaphoreCreate(_ value: Int) -> Handle? {
  if let given = GivenObject.take(.semaphore) { return given }
  return value < 0 ? nil : Handles.made(DispatchSemaphore(value: value))
}

/// Takes a permit; 0, or not 0 if `timeout` came first.
@_cdecl("dispatch_semaphore_wait")
package func dispatchSemaphoreWait(_ semaphore: Handle?, _ timeout: UInt64) -> Int {
  Handles.semaphore(semaphore, "dispatch_semaphore_wait")._withUnsafeGuaranteedRef {
    resultOfWait($0.wait(until: .ofWait(timeout)))
  }
}

/// Adds a permit; not 0 if it woke a thread.
@_cdecl("dispatch_semaphore_signal")
package func dispatchSemaphoreSignal(_ semaphore: Handle?) -> Int {
  Handles.semaphore(semaphore, "dispatch_semaphore_signal")._withUnsafeGuaranteedRef {
    $0.signal()
  }
}

/// How C code learns the result of a wait: 0, or -1 with errno ETIMEDOUT.
func resultOfWait(_ result: DispatchTimeoutResult) -> Int {
  if result == .success { return 0 }
  errno = ETIMEDOUT
  return -1
}
