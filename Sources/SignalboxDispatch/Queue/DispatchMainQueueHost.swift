// DispatchMainQueueHost — the main queue as a guest in another event loop.

import SignalboxRuntime

/// What a foreign event loop (GTK, Qt, libuv, a game loop) needs to serve the
/// main queue from the main thread.
///
/// ```swift
/// poll(&descriptors, 1, -1)          // wait until `fileDescriptor` is readable
/// DispatchMainQueueHost.drain()
/// ```
///
/// *Beyond Apple's API.*
public enum DispatchMainQueueHost {
  /// A descriptor to poll for reading: readable while the main queue, or the
  /// toolchain's, has work. Do not read from it.
  public static var fileDescriptor: Int32 {
    MainQueueDrain.shared.noteDriven()
    return MainQueueDrain.shared.descriptor
  }

  /// How long the loop may wait for the descriptor before it drains: not at all
  /// while items wait on the main queue, else for ever.
  public static var timeout: DispatchTimeInterval {
    DispatchQueue.main.list.newest() == nil ? .never : .nanoseconds(0)
  }

  /// Runs what waits on the main queue now. What is added meanwhile waits for
  /// the next call; within an item of the main queue it does nothing. Traps on
  /// any other thread than the main one.
  public static func drain() { MainQueueDrain.shared.drain() }

  /// Runs `body`, within which the main queue may be served although the item that calls it
  /// has not ended: by ``drain()``, or by a main run loop that `body` runs.
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
  /// Else no item starts before the one under way has ended. What the items in between
  /// change, the caller sees changed in its middle. On any thread but the main one, and
  /// outside items of the main queue, it just runs `body`.
  public static func servingWithinItem<T>(_ body: () throws -> T) rethrows -> T {
    try MainQueueDrain.shared.servingWithinItem(body)
  }
}
