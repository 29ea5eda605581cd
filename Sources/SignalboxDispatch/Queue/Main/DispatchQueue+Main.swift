// DispatchQueue+Main — the main queue, bound to the process's first thread.
//
// To get its thread, the main queue makes an epoll set readable. The loop that drives the main
// thread polls that set and drains: `dispatchMain()`, or a host loop. If the toolchain's
// libdispatch is loaded, its main queue's descriptor is in the set too, and a drain includes both
// queues, so that code which uses libdispatch does not starve. The main run loop puts the
// descriptors of both queues in a set of its own and looks at the main queue itself: see
// `CFRunLoop+MainQueue`.
//
// Touching    `sleeper`: any thread wakes it, the main thread sleeps in it. `isDriven`: any
//             thread. `hasServedWithin`: the main thread. `loop`: any thread, under its lock.

import CSignalbox
import SignalboxRuntime

package final class MainQueueDrain: Sendable {
  package static let shared = MainQueueDrain()

  private let sleeper = DescriptorSleeper()
  /// Whether anything has ever drained the main queue. Any thread sets it; only reports read it.
  static let driven = Relaxed(false)
  /// Whether items ran within the item that is about to end.
  // SAFETY: only the main thread touches it.
  private nonisolated(unsafe) var hasServedWithin = false
  /// Readable while the toolchain's main queue has work; -1 if libdispatch is not loaded.
  package let toolchainDescriptor: Int32

  private init() {
    toolchainDescriptor = csb_toolchain_main_queue_descriptor()
    if toolchainDescriptor >= 0 { sleeper.add(toolchainDescriptor, as: .token(0)) }
    MainQueueDrain.made.store(true)
  }

  /// Whether `shared` exists. The thread that makes it writes this; only a forked child, with one
  /// thread, reads it.
  static let made = Relaxed(false)

  /// Makes wake-ups in a forked child wake the child and not the parent. The toolchain's main
  /// queue is left out, because its libdispatch does not work in a forked child.
  static func renewIfMade() {
    // Replace `loop`, because another thread of the parent may have held its lock.
    loop = MainLoop(like: loop)
    guard made.load() else { return }
    let error = shared.sleeper.renew()
    if error != 0 {
      warn(
        "could not create a descriptor for the main queue after fork (errno \(error)): do not use "
          + "the main queue in this process.")
    }
  }

  /// Readable while something waits to be drained; hosts poll it.
  var descriptor: Int32 { sleeper.set }

  /// Written to each time the main queue gets work when it had none.
  package var ownDescriptor: Int32 { sleeper.wakeup }

  /// Whether something has drained the main queue, or has announced that it will.
  package static var isDriven: Bool { driven.load() }

  package func noteDriven() { MainQueueDrain.driven.store(true) }

  /// Announces that the main queue has work. Any thread.
  func wake() {
    sleeper.wake()
    MainThreadUse.note()
  }

  /// Runs the items that now wait on the main queue and on the toolchain's main queue. Items that
  /// are submitted during the call wait for the next one. Within an item of the main queue, the
  /// call does nothing: no item starts before the current one has ended.
  func drain() {
    if csb_thread_is_main() == 0 {
      clientBug("the main queue was drained on a thread other than the main thread.")
    }
    noteDriven()
    drain(sleeper.ready)
  }

  private func drain(_ ready: DescriptorSleeper.Ready) {
    // Acknowledge within an item too: the end of that item looks for pending items, and a loop
    // that polls must not find the descriptor ready forever.
    if ready.contains(.wake) { sleeper.acknowledgeWake() }
    if ready.contains(.token(0)) { drainToolchain() }
    _ = drainWaiting()
  }

  // MARK: For the main run loop, on the main thread

  /// Whether the thread is within an item of the main queue. No other item starts before it ends.
  package var isWithinItem: Bool {
    DispatchQueue.main.state.snapshot.owner == csb_thread_number()
  }

  /// Whether items wait, without a system call. If this misses an item, its submission makes the
  /// descriptor readable.
  package var hasWork: Bool { DispatchQueue.main.state.snapshot.isScheduled }

  /// The same, for a caller that the descriptor has woken.
  package var isScheduled: Bool { DispatchQueue.main.state.isScheduled() }

  /// Consumes the wake-up of the descriptor, for a caller that drains the queue without reading the
  /// descriptor. Makes one system call.
  package func acknowledge() {
    sleeper.acknowledgeWake()
    // The read may have consumed the announcement of an item that still waits: announce it again.
    if isScheduled { wake() }
  }

  /// Runs the items that now wait on the toolchain's main queue.
  package func drainToolchain() { csb_toolchain_main_queue_drain() }

  /// Runs the items that now wait on the main queue.
  ///
  /// - Returns: whether there were any.
  package func drainWaiting() -> Bool {
    let queue = DispatchQueue.main
    let thread = csb_thread_number()
    if queue.state.snapshot.owner == thread { return false }
    guard queue.state.takeScheduled(thread, own: true) else { return false }
    QueueFrame.with(queue) {
      Probe.drainBegan(queue.address)
      if let last = queue.list.newest() {
        Urgency.keeping { queue.drain(upTo: last) }
      } else {
        queue.handOff()
      }
      Probe.drainEnded(queue.address)
    }
    return true
  }

  // MARK: Within an item

  /// Runs `body`, and allows the main queue to be drained within it although an item of the queue
  /// has not ended.
  func servingWithinItem<T>(_ body: () throws -> T) rethrows -> T {
    let queue = DispatchQueue.main
    let thread = csb_thread_number()
    guard queue.state.snapshot.owner == thread else { return try body() }
    // Leave as if the item had ended. No other thread ever takes this queue.
    queue.leave()
    defer {
      queue.state.takeBack(thread)
      hasServedWithin = true
    }
    return try body()
  }

  /// Whether the owner must leave after the item that it has just run: items may have run within
  /// that item, so the next item that the owner knows may be gone.
  func mustLeaveAfterItem() -> Bool {
    defer { hasServedWithin = false }
    return hasServedWithin
  }

  // MARK: For ever

  /// Drains forever.
  ///
  /// - Parameter withLoop: whether to run the main run loop too, as soon as the process has one.
  package func runForEver(withLoop: Bool = false) -> Never {
    var spin = AdaptiveSpin()
    drain()
    while true {
      if withLoop, let run = MainQueueDrain.loop.current() {
        // It serves the main queue too, and returns only if it is stopped.
        run()
        drain(sleeper.ready)
        continue
      }
      drainWhileAwake(&spin)
      let began = Clock.uptime.now
      let ready = Parking.wait(
        in: sleeper, for: .mainQueue, on: DispatchQueue.main.resource)
      spin.hasWaited(Clock.uptime.now.saturatingSubtract(began))
      drain(ready)
    }
  }

  /// Runs items as long as they arrive in short succession, without reading the descriptor. So the
  /// next sleep ends at once, but only that one: the drain after it reads the descriptor.
  private func drainWhileAwake(_ spin: inout AdaptiveSpin) {
    let start = Clock.uptime.now
    var began = start
    // After this time, the other work of the thread gets its turn.
    while began.saturatingSubtract(start) < 2 * AdaptiveSpin.length {
      guard spin.mayPay() else { return }
      let hasCome = AdaptiveSpin.run(
        until: began + AdaptiveSpin.length, { hasWork }, orNowAndThen: { false })
      spin.hasSpun(findingSomething: hasCome)
      if !hasCome { return }
      spin.hasWaited(Clock.uptime.now.saturatingSubtract(began))
      _ = drainWaiting()
      began = Clock.uptime.now
    }
  }

  // SAFETY: only a forked child replaces it, on its only thread.
  nonisolated(unsafe) static var loop = MainLoop()

  /// Records that the process has a main run loop from now on. Any thread.
  ///
  /// - Parameter run: runs the loop until it is stopped; called on the main thread.
  package static func noteMainLoop(_ run: @escaping MainLoop.Run) {
    if loop.note(run) { shared.sleeper.wake() }
  }

  /// How to run the main run loop, and whether a thread waits until there is one.
  package final class MainLoop: @unchecked Sendable {  // SAFETY: `lock` guards all fields.
    package typealias Run = @Sendable () -> Void

    private let lock = EngineLock()
    private var run: Run?
    private var isAwaited = false

    fileprivate init() {}

    /// A copy with a lock of its own.
    fileprivate init(like other: MainLoop) {
      run = other.run
      isAwaited = other.isAwaited
    }

    /// - Returns: whether to wake the thread that waits for a loop.
    fileprivate func note(_ run: @escaping Run) -> Bool {
      lock.withLock {
        self.run = run
        return isAwaited
      }
    }

    /// - Returns: nil if there is no loop yet; `note` wakes the main thread as soon as there is
    ///   one.
    fileprivate func current() -> Run? {
      lock.withLock {
        isAwaited = true
        return run
      }
    }
  }

  // MARK: sync

  /// Runs `work` on the main thread and waits until it has ended.
  func sync<T>(_ queue: DispatchQueue, _ work: () throws -> T) rethrows -> T {
    if csb_thread_is_main() != 0 {
      selfDeadlock(
        "sync on the main queue from the main thread: it would wait for itself forever. Call "
          + "the work directly, or submit it with async.", for: .sync, on: queue.resource)
    }
    return try RemoteCall.run(on: queue, work)
  }
}

/// Runs the items of the main queue, forever. Call it on the main thread.
///
/// It also drains the toolchain's own main queue.
///
/// Source: Apple's documentation of `dispatchMain()`.
public func dispatchMain() -> Never {
  if csb_thread_is_main() == 0 {
    clientBug("dispatchMain() was called on a thread other than the main thread.")
  }
  MainQueueDrain.shared.runForEver()
}
