// DispatchQueue+Main — the main queue: bound to the process's first thread.
//
// The main queue enlists by making an epoll set readable. Whoever drives the
// main thread polls that set and drains: `dispatchMain()`, or a host loop. The
// main run loop has the two descriptors in a set of its own, and looks at the
// queue itself: see `CFRunLoop+MainQueue`.
// Where the toolchain's libdispatch is loaded, its main queue's descriptor is
// in the set too, and a drain serves both: code that uses it must not starve.
//
// Touching    `sleeper`: any thread wakes it, the main thread sleeps in it.
//             `isDriven`: any thread. `hasServedWithin`: the main thread. `loop`: any thread,
//             under its lock.

import CSignalbox
import SignalboxRuntime
import Synchronization

package final class MainQueueDrain: Sendable {
  package static let shared = MainQueueDrain()

  private let sleeper = DescriptorSleeper()
  /// Whether anything has ever drained the main queue.
  static let driven = Atomic<Bool>(false)
  /// Whether items have run within the one that is about to end.
  // SAFETY: the main thread's.
  private nonisolated(unsafe) var hasServedWithin = false
  /// Readable while the toolchain's main queue has work; -1 where there is none.
  package let toolchainDescriptor: Int32

  private init() {
    toolchainDescriptor = csb_toolchain_main_queue_descriptor()
    if toolchainDescriptor >= 0 { sleeper.add(toolchainDescriptor, as: .token(0)) }
    // order: relaxed; asked by the thread that forks, about what it has seen made.
    MainQueueDrain.made.store(true, ordering: .relaxed)
  }

  static let made = Atomic<Bool>(false)

  /// In a forked child: wakes this process from now on, not the parent. The
  /// toolchain's main queue is left out: its libdispatch does not work in one.
  static func renewIfMade() {
    // Another thread may have had its lock.
    loop = MainLoop(like: loop)
    // order: relaxed; no other thread is there.
    guard made.load(ordering: .relaxed) else { return }
    let error = shared.sleeper.renew()
    if error != 0 {
      complain("no descriptor for the main queue after a fork (errno \(error)): do not use it")
    }
  }

  /// Polled by hosts: readable while something waits to be drained.
  var descriptor: Int32 { sleeper.set }

  /// Written to once for each time that the main queue has work where it had none.
  package var ownDescriptor: Int32 { sleeper.wakeup }

  /// Whether something has drained the main queue, or has said that it will.
  package static var isDriven: Bool {
    driven.load(ordering: .relaxed)  // order: relaxed; for reports.
  }

  package func noteDriven() {
    MainQueueDrain.driven.store(true, ordering: .relaxed)  // order: relaxed; for reports.
  }

  /// The main queue has work. Any thread.
  func wake() {
    sleeper.wake()
    MainThreadUse.note()
  }

  /// Runs what waits on the main queue now, and on the toolchain's. What is
  /// added meanwhile waits for the next call. Within an item of the main queue
  /// it does nothing: no item starts before the current one has ended.
  func drain() {
    if csb_thread_is_main() == 0 {
      clientBug("the main queue was drained on another thread than the main one.")
    }
    noteDriven()
    drain(sleeper.ready)
  }

  private func drain(_ ready: DescriptorSleeper.Ready) {
    // Also within an item: what is pending then is seen when that item ends,
    // and a loop that polls must not find the descriptor ready for ever.
    if ready.contains(.wake) { sleeper.acknowledgeWake() }
    if ready.contains(.token(0)) { drainToolchain() }
    _ = serve()
  }

  // MARK: For the main run loop, on the main thread

  /// Whether the thread is within an item of the main queue: none starts before it ends.
  package var isWithinItem: Bool {
    DispatchQueue.main.state.snapshot.owner == csb_thread_number()
  }

  /// Whether items wait. Needs no system call: what is submitted from now on makes the
  /// descriptor readable.
  package var hasWork: Bool { DispatchQueue.main.state.snapshot.isEnlisted }

  /// The same, for who was told by the descriptor.
  package var isInvited: Bool { DispatchQueue.main.state.isInvited() }

  /// Takes back what has made the descriptor readable, for who serves the queue without a
  /// read of it. One system call.
  package func acknowledge() {
    sleeper.acknowledgeWake()
    // What was announced before the read is announced anew.
    if isInvited { wake() }
  }

  /// Runs what waits on the toolchain's main queue now.
  package func drainToolchain() { csb_toolchain_main_queue_drain() }

  /// Runs what waits on the main queue now.
  ///
  /// - Returns: whether anything did.
  package func serve() -> Bool {
    let queue = DispatchQueue.main
    let thread = csb_thread_number()
    if queue.state.snapshot.owner == thread { return false }
    guard queue.state.takeInvited(thread, own: true) else { return false }
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

  /// Runs `body`, in which the main queue may be drained although an item of it has not
  /// ended.
  func servingWithinItem<T>(_ body: () throws -> T) rethrows -> T {
    let queue = DispatchQueue.main
    let thread = csb_thread_number()
    guard queue.state.snapshot.owner == thread else { return try body() }
    // As if the item had ended. Nobody but this thread ever takes the queue.
    queue.leave()
    defer {
      queue.state.takeBack(thread)
      hasServedWithin = true
    }
    return try body()
  }

  /// Whether the owner that has just run an item must leave, since it may have been
  /// overtaken: the item that it knew to be next may be gone.
  func mustLeaveAfterItem() -> Bool {
    defer { hasServedWithin = false }
    return hasServedWithin
  }

  // MARK: For ever

  /// Drains for ever.
  ///
  /// - Parameter withLoop: whether the main run loop is run as well, as soon as the process has
  ///   one.
  package func runForEver(withLoop: Bool = false) -> Never {
    var spin = AdaptiveSpin()
    drain()
    while true {
      if withLoop { MainQueueDrain.loop.current()?() }
      serveWhileAwake(&spin)
      let began = Clock.uptime.now
      let ready = WaitingDoor.wait(
        in: sleeper, for: .mainQueue, on: DispatchQueue.main.resource)
      spin.hasWaited(Clock.uptime.now - began)
      drain(ready)
    }
  }

  /// Serves what comes as long as it comes soon, without reading the descriptor: the sleep
  /// that follows then ends at once, once, and the drain after it reads it.
  private func serveWhileAwake(_ spin: inout AdaptiveSpin) {
    let start = Clock.uptime.now
    var began = start
    // Then everything else that the thread serves has its turn.
    while began - start < 2 * AdaptiveSpin.length {
      guard spin.mayPay() else { return }
      let hasCome = AdaptiveSpin.run(
        until: began + AdaptiveSpin.length, { hasWork }, orNowAndThen: { false })
      spin.hasSpun(findingSomething: hasCome)
      if !hasCome { return }
      spin.hasWaited(Clock.uptime.now - began)
      _ = serve()
      began = Clock.uptime.now
    }
  }

  // SAFETY: replaced in a forked child only, by its one thread.
  nonisolated(unsafe) static var loop = MainLoop()

  /// The process has a main run loop from now on. Any thread.
  ///
  /// - Parameter run: runs it until it is stopped; called on the main thread.
  package static func noteMainLoop(_ run: @escaping MainLoop.Run) {
    if loop.note(run) { shared.sleeper.wake() }
  }

  /// How the main run loop is run, and whether somebody waits until there is one.
  package final class MainLoop: @unchecked Sendable {  // SAFETY: all of it under `lock`.
    package typealias Run = @Sendable () -> Void

    private let lock = EngineLock()
    private var run: Run?
    private var isAwaited = false

    fileprivate init() {}

    /// One with a lock of its own.
    fileprivate init(like other: MainLoop) {
      run = other.run
      isAwaited = other.isAwaited
    }

    /// - Returns: whether who waits is to be woken.
    fileprivate func note(_ run: @escaping Run) -> Bool {
      lock.withLock {
        self.run = run
        return isAwaited
      }
    }

    /// - Returns: nil where there is none; the main thread is woken as soon as there is one.
    fileprivate func current() -> Run? {
      lock.withLock {
        isAwaited = true
        return run
      }
    }
  }

  // MARK: sync

  /// Runs `work` on the main thread and waits for its end.
  func sync<T>(_ queue: DispatchQueue, _ work: () throws -> T) rethrows -> T {
    if csb_thread_is_main() != 0 {
      clientBug(
        "sync on the main queue from the main thread: it would wait for itself for ever. Call "
          + "the work directly, or submit it with async.")
    }
    return try RemoteCall.run(on: queue, work)
  }
}

/// Runs what is submitted to the main queue, for ever. Call it on the main
/// thread.
///
/// The toolchain's own main queue is served as well.
///
/// Source: Apple's documentation of `dispatchMain()`.
public func dispatchMain() -> Never {
  if csb_thread_is_main() == 0 {
    clientBug("dispatchMain() was called on another thread than the main one.")
  }
  MainQueueDrain.shared.runForEver()
}
