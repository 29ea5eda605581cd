// RunLoopHost — runs a thread's run loop as a guest of another event loop.
//
// The guest is in a run that never sleeps by itself. While the host has control the guest is
// parked, and other threads see it as asleep; waking it makes its epoll set readable. Each
// drain makes one pass.
//
// Touching    everything: the loop's own thread.

import CSignalbox
public import SignalboxDispatch
import SignalboxRuntime

/// Hosts the calling thread's run loop in another event loop (GTK, Qt, libuv, SDL, a server's
/// own): provides the descriptor to poll, the timeout, and the method to call afterwards.
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
/// Sources, timers, observers, blocks and performs of the loop work as if it ran in the mode.
/// On the main thread, in a common mode, the drains also serve the main queue. Between drains,
/// other threads see the loop as asleep. ``CFRunLoopStop(_:)`` sets ``isStopped``. While
/// nothing is due, nothing is readable, and the host can sleep as long as it likes.
///
/// Use a host only on the loop's own thread; any other thread traps. Ask for the timeout again
/// before each wait.
///
/// *Beyond Apple's API.*
public final class RunLoopHost {
  let loop: CFRunLoop
  let mode: LoopMode
  private(set) var isParked = false
  private var isOver = false
  /// Whether the host drains the toolchain's main queue itself.
  private let leavesToolchain: Bool
  /// Whether the enclosing run was stopped before the hosting began.
  private let mustStop: Bool
  /// Whether a thread called ``CFRunLoopStop(_:)`` on the loop. The loop keeps working as long
  /// as you drain it.
  public private(set) var isStopped = false

  /// Starts hosting the calling thread's loop.
  ///
  /// - Parameter mode: the mode in which the loop runs. `common` is not a mode, and traps.
  @available(*, noasync)
  public convenience init(mode: RunLoop.Mode = .default) {
    self.init(mode: mode, leavesToolchain: false)
  }

  init(mode: RunLoop.Mode, leavesToolchain: Bool) {
    self.leavesToolchain = leavesToolchain
    if mode == .common {
      clientBug(
        "a run loop cannot be hosted in the common modes, which are a set of modes. Pass one mode.")
    }
    loop = CFRunLoop.current
    (self.mode, mustStop) = loop.beginHosting(CFRunLoopMode(mode))
    loop.tell(.entry, self.mode)
    // What waits already, also for the hook, waits for the first drain: no thread announces it
    // again.
    let mustDrain = loop.hookState.isWanted || loop.isReady(self.mode)
    park()
    if mustDrain { loop.sleeper.sleeper.wake() }
  }

  deinit {
    if !isOver && loop.isCurrent { end() }
  }

  /// A descriptor to poll for reading. It is readable when the loop needs a drain. Do not read
  /// from it. It never changes.
  public var fileDescriptor: Int32 { loop.sleeper.sleeper.set }

  /// How long the host may wait for the descriptor before it must drain anyway because a timer
  /// is due. `never` if there is no timer.
  public var timeout: DispatchTimeInterval {
    checkThread("timeout")
    settle()
    let deadline = loop.nextDeadline(mode)
    if deadline == UptimeLimit.never { return .never }
    let now = Clock.uptime.now
    return .nanoseconds(deadline > now ? Int(clamping: deadline - now) : 0)
  }

  /// The timeout as `poll` takes it: milliseconds, rounded up so that the timer is due when it
  /// passes, or -1 to wait forever.
  public var milliseconds: Int32 {
    checkThread("milliseconds")
    settle()
    let deadline = loop.nextDeadline(mode)
    if deadline == UptimeLimit.never { return -1 }
    let now = Clock.uptime.now
    return deadline > now ? Int32(clamping: (deadline - now - 1) / 1_000_000 + 1) : 0
  }

  /// Makes one pass: fires what is due, handles what is ready, and does not sleep. Work that
  /// arrives during the pass makes the descriptor readable again.
  ///
  /// Does nothing inside a callback of the loop.
  @available(*, noasync)
  public func drain() {
    checkThread("drain()")
    guard isParked else { return }
    isParked = false
    loop.mainQueueInput.leavesToolchain = leavesToolchain
    // Take the events from the descriptor before looking at the inputs, so that no event is lost.
    let sleeper = loop.preparedSleeper(mode)
    _ = loop.state.endSleep()
    _ = loop.note(sleeper.look().events, mode)
    loop.tell(.afterWaiting, mode)
    let result = loop.passes(mode, until: UptimeLimit.passed, leavesAfterSource: false)
    if result == .stopped { isStopped = true }
    let isIdle = !loop.hookState.isWanted || loop.callHookBeforeSleep(mode)
    park()
    if !isIdle || loop.hookState.isRenewed { loop.sleeper.sleeper.wake() }
  }

  /// Ends the hosting; the loop no longer runs. Calling it again does nothing.
  @available(*, noasync)
  public func end() {
    checkThread("end()")
    if isOver { return }
    isOver = true
    if isParked { _ = loop.state.endSleep() }
    isParked = false
    loop.tell(.exit(.stopped), mode)
    loop.state.endRun(mustStop)
    loop.endRun()
  }

  /// Returns control to the host.
  private func park() {
    // A callback may have ended the hosting during the pass.
    if isOver { return }
    loop.tell(.beforeWaiting, mode)
    isParked = true
    settle()
  }

  /// Puts the loop to sleep on this mode's inputs again. If the program has run the loop since it
  /// was parked, that run has woken the loop, and may have waited for other inputs.
  func settle() {
    guard isParked else { return }
    loop.mainQueueInput.leavesToolchain = leavesToolchain
    let renewals = loop.sleeper.renewals
    let sleeper = loop.preparedSleeper(mode)
    if loop.state.isAsleep {
      // A thread may have written to the descriptors that were replaced.
      if sleeper.renewals != renewals { sleeper.sleeper.wake() }
      return
    }
    let wasWoken = !loop.state.beginSleep()
    if wasWoken { _ = loop.state.beginSleep() }
    // Wake the sleeper here: a wake that came while the loop was awake did not make the descriptor
    // readable, and the set does not report again what the last pass left unhandled.
    if wasWoken || loop.hasMoreInputs(mode) { sleeper.sleeper.wake() }
  }

  /// Whether the loop was stopped since the last call.
  func takeStop() -> Bool {
    defer { isStopped = false }
    return isStopped
  }

  func checkThread(_ call: StaticString) {
    if loop.isCurrent { return }
    clientBug(
      "\(call) was called on the host of \(loop.words) by \(ThreadName.ofThisThread): only the "
        + "loop's own thread may call it.")
  }
}

// SAFETY: unavailable; declared so that the compiler rejects sending a host.
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
  /// Starts a run during which the host sleeps in place of the loop.
  ///
  /// - Returns: also whether the enclosing run, if any, was already stopped; see `run`.
  fileprivate func beginHosting(_ name: CFRunLoopMode) -> (mode: LoopMode, mustStop: Bool) {
    lock.withLock {
      let mode = self.mode(named: name)
      let mustStop = state.takeStop() && !runs.isEmpty
      if runs.isEmpty { runsBegun &+= 1 }
      runs.append(mode)
      return (mode, mustStop)
    }
  }
}
