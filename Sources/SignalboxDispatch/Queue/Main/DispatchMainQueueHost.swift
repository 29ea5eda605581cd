// DispatchMainQueueHost — the main queue as a guest in another event loop.

import SignalboxRuntime

/// Lets a foreign event loop (GTK, Qt, libuv, a game loop) serve the main queue from the main
/// thread.
///
/// ```swift
/// poll(&descriptors, 1, -1)          // wait until `fileDescriptor` is readable
/// DispatchMainQueueHost.drain()
/// ```
///
/// *Beyond Apple's API.*
public enum DispatchMainQueueHost {
  /// A descriptor to poll for reading. It is readable while the main queue, or the toolchain's
  /// main queue, has work. Do not read from it.
  public static var fileDescriptor: Int32 {
    MainQueueDrain.shared.noteDriven()
    return MainQueueDrain.shared.descriptor
  }

  /// How long the loop may wait for the descriptor before it drains: zero while items wait on the
  /// main queue, otherwise without limit.
  public static var timeout: DispatchTimeInterval {
    DispatchQueue.main.list.newest() == nil ? .never : .nanoseconds(0)
  }

  /// Runs the items that now wait on the main queue. Items that are submitted during the call wait
  /// for the next one. Within an item of the main queue, the call does nothing. Traps on any thread
  /// but the main one.
  public static func drain() { MainQueueDrain.shared.drain() }

  /// Runs `body` and allows the main queue to be served within it, although the item that calls
  /// this function has not ended. The queue is served by ``drain()``, or by a main run loop that
  /// `body` runs.
  ///
  /// ```swift
  /// DispatchQueue.main.async {
  ///   let panel = Panel()
  ///   DispatchMainQueueHost.servingWithinItem {
  ///     while panel.isOpen { RunLoop.main.run(mode: .modalPanel, before: .distantFuture) }
  ///   }
  /// }
  /// ```
  ///
  /// Without this call, no item starts before the current one has ended. Items that run within
  /// `body` may change state in the middle of the calling item. On any other thread, and outside
  /// items of the main queue, the call just runs `body`.
  public static func servingWithinItem<T>(_ body: () throws -> T) rethrows -> T {
    try MainQueueDrain.shared.servingWithinItem(body)
  }
}
