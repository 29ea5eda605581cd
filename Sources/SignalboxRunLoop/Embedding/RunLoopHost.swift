// RunLoopHost — a thread's run loop as a guest in another event loop.
//
// The guest is in a run that never sleeps by itself: it is parked, which others see as asleep,
// whenever control is the host's. So whoever wakes it makes its set of descriptors readable.
// A drain makes one pass.
//
// Touching    everything: the loop's own thread.

import CSignalbox
public import SignalboxDispatch
import SignalboxRuntime

/// The calling thread's run loop, hosted by another event loop (GTK, Qt, libuv, SDL, a server's
/// own): what to poll, for how long, and what to call then.
///
/// ```swift
/// let guest = RunLoopHost()
/// while !guest.isStopped {
///   var polled = pollfd(fd: guest.fileDescriptor, events: Int16(POLLIN), revents: 0)
///   poll(&polled, 1, guest.milliseconds)
///   guest.drain()
/// }
/// ```
///
/// Sources, timers, observers, blocks and performs of the loop do as if it ran in the mode, and
/// on the main thread the main queue is served, in a common mode. It is asleep, as others see
/// it, but for the drains; ``CFRunLoopStop(_:)`` sets ``isStopped``. While nothing is due,
/// nothing is readable: the host sleeps as long as it likes.
///
/// All of it is for the loop's own thread, and traps on any other. Ask for the time-out anew
/// before each wait.
///
/// *Beyond Apple's API.*
public final class RunLoopHost {
  let loop: CFRunLoop
  let mode: LoopMode
  private(set) var isParked = false
  private var isOver = false
  /// Whether the host serves the toolchain's main queue itself.
  private let leavesToolchain: Bool
  /// Whether ``CFRunLoopStop(_:)`` was called on the loop. The loop goes on nevertheless, as
  /// long as it is drained.
  public private(set) var isStopped = false

  /// Begins to host the calling thread's loop.
  ///
  /// - Parameter mode: in which mode it runs; not the common ones, which are no mode.
  @available(*, noasync)
  public convenience init(mode: RunLoop.Mode = .default) {
    self.init(mode: mode, leavesToolchain: false)
  }

  init(mode: RunLoop.Mode, leavesToolchain: Bool) {
    self.leavesToolchain = leavesToolchain
    if mode == .common {
      clientBug("a run loop was to be hosted in the common modes, which are no mode: name one.")
    }
    loop = CFRunLoop.current
    self.mode = loop.beginHosting(CFRunLoopMode(mode))
    loop.tell(.entry, self.mode)
    // What its attendant has to do waits for the first drain.
    let isWanted = loop.attendance.isWanted
    park()
    if isWanted { loop.sleeper.sleeper.wake() }
  }

  deinit {
    if !isOver && loop.isCurrent { end() }
  }

  /// A descriptor to poll for reading: readable when the loop wants to be drained. Do not read
  /// from it. It stays the same.
  public var fileDescriptor: Int32 { loop.sleeper.sleeper.set }

  /// How long the host may wait for the descriptor until the loop wants to be drained all the
  /// same, because a timer is due: `never` where there is none.
  public var timeout: DispatchTimeInterval {
    checkThread("timeout")
    settle()
    let deadline = loop.nextDeadline(mode)
    if deadline == UptimeLimit.never { return .never }
    let now = Clock.uptime.now
    return .nanoseconds(deadline > now ? Int(clamping: deadline - now) : 0)
  }

  /// The same as `poll` takes it, in whole milliseconds: not before a timer is due; -1 for ever.
  public var milliseconds: Int32 {
    checkThread("milliseconds")
    settle()
    let deadline = loop.nextDeadline(mode)
    if deadline == UptimeLimit.never { return -1 }
    let now = Clock.uptime.now
    return deadline > now ? Int32(clamping: (deadline - now - 1) / 1_000_000 + 1) : 0
  }

  /// Makes one pass: fires what is due, handles what is ready, and does not sleep. What is
  /// brought meanwhile makes the descriptor readable again.
  ///
  /// Within a call-back of the loop it does nothing.
  @available(*, noasync)
  public func drain() {
    checkThread("drain()")
    guard isParked else { return }
    isParked = false
    loop.mainQueueInput.leavesToolchain = leavesToolchain
    // What made the descriptor readable is taken from it before all is looked at.
    let sleeper = loop.preparedSleeper(mode)
    _ = loop.state.endSleep()
    _ = loop.note(sleeper.look().events, mode)
    loop.tell(.afterWaiting, mode)
    _ = loop.passes(mode, until: UptimeLimit.passed, leavesAfterSource: false)
    if loop.state.takeStop() { isStopped = true }
    let isIdle = !loop.attendance.isWanted || loop.attendSleep(mode)
    park()
    if !isIdle || loop.attendance.isRenewed { loop.sleeper.sleeper.wake() }
  }

  /// Ends the hosting: the loop runs no more. Nothing happens the second time.
  @available(*, noasync)
  public func end() {
    checkThread("end()")
    if isOver { return }
    isOver = true
    if isParked { _ = loop.state.endSleep() }
    isParked = false
    loop.tell(.exit(.stopped), mode)
    loop.endRun()
  }

  /// Control goes back to the host.
  private func park() {
    // Ended by a call-back of the pass.
    if isOver { return }
    loop.tell(.beforeWaiting, mode)
    isParked = true
    settle()
  }

  /// Has the loop be asleep, with what this mode waits for: a run that the program has made
  /// in between has woken it, and may have waited for something else.
  func settle() {
    guard isParked else { return }
    loop.mainQueueInput.leavesToolchain = leavesToolchain
    let renewals = loop.sleeper.renewals
    let sleeper = loop.preparedSleeper(mode)
    if loop.state.isAsleep {
      // Somebody may have written to what is there no more.
      if sleeper.renewals != renewals { sleeper.sleeper.wake() }
      return
    }
    let wasWoken = !loop.state.beginSleep()
    if wasWoken { _ = loop.state.beginSleep() }
    // Whoever woke it before has not made the descriptor readable; and nobody tells again of
    // what one pass has left over.
    if wasWoken || loop.hasMoreInputs(mode) { sleeper.sleeper.wake() }
  }

  /// Whether the loop was to stop since this was last asked.
  func takeStop() -> Bool {
    defer { isStopped = false }
    return isStopped
  }

  func checkThread(_ call: StaticString) {
    if loop.isCurrent { return }
    clientBug(
      "\(call) was called on the host of \(loop.words) by \(ThreadName.ofThisThread): a loop is "
        + "hosted by its own thread.")
  }
}

// SAFETY: unavailable; it is here to say no.
@available(*, unavailable)
extension RunLoopHost: @unchecked Sendable {}

extension RunLoopHost: Hashable, CustomStringConvertible {
  public static func == (a: RunLoopHost, b: RunLoopHost) -> Bool { a === b }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  public var description: String {
    "<RunLoopHost: \(loop.words), in the mode \(mode.name.rawValue)>"
  }
}

extension CFRunLoop {
  /// The loop is in a run from now on, which the host sleeps for.
  fileprivate func beginHosting(_ name: CFRunLoopMode) -> LoopMode {
    lock.withLock {
      let mode = self.mode(named: name)
      if runs.isEmpty { runsBegun &+= 1 }
      runs.append(mode)
      return mode
    }
  }
}
