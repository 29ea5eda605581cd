// SideBySide — two threads that run at the same time, where there are two processors.

import Glibc

/// Runs the body on two threads, and waits for both.
func runSideBySide(_ body: @escaping @Sendable (_ thread: Int) -> Void) {
  let threads = (0..<2).map { index in
    // SAFETY: retained here, released by the thread.
    let start = Unmanaged.passRetained(Start { body(index) }).toOpaque()
    var thread = pthread_t()
    let error = pthread_create(
      &thread, nil,
      { context in
        // SAFETY: as above.
        Unmanaged<Start>.fromOpaque(context!).takeRetainedValue().run()
        return nil
      }, start)
    guard error == 0 else { fatalError("pthread_create: errno \(error)") }
    return thread
  }
  for thread in threads { pthread_join(thread, nil) }
}

private final class Start {
  let run: () -> Void
  init(_ run: @escaping () -> Void) { self.run = run }
}
