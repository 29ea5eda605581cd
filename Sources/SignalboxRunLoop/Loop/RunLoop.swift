// RunLoop — a thread's run loop in Swift; a handle on a `CFRunLoop`.

public import FoundationEssentials
import SignalboxRuntime

/// A thread's run loop: it runs timers, sources and blocks when they are due, and sleeps in
/// between.
///
/// ```swift
/// let thread = Thread {
///   let timer = Timer(timeInterval: 1, repeats: true) { _ in print("tick") }
///   RunLoop.current.add(timer, forMode: .default)
///   RunLoop.current.run(until: Date(timeIntervalSinceNow: 5))
/// }
/// ```
///
/// Each thread has one loop, created on first use and freed with the thread. Call the functions
/// that run it on its own thread; on any other thread they return at once, and the first such call
/// is reported on standard error. Call all others from any thread. Like Apple's, it is not
/// `Sendable`: to hand a loop to another thread, pass its ``getCFRunLoop()``.
///
/// See <doc:RunLoops> for the steps of a pass.
///
/// Source: Apple's documentation of `RunLoop`.
open class RunLoop {
  let loop: CFRunLoop

  init(_ loop: CFRunLoop) { self.loop = loop }

  /// The calling thread's loop.
  @available(*, noasync)
  open class var current: RunLoop { CFRunLoop.current.asRunLoop }

  /// The main thread's loop. Use it from any thread.
  open class var main: RunLoop { CFRunLoop.main.asRunLoop }

  /// The same loop for the C interface.
  open func getCFRunLoop() -> CFRunLoop { loop }

  /// The mode of the loop's innermost run, or `nil` if the loop does not run. Use it from any
  /// thread.
  open var currentMode: RunLoop.Mode? { loop.currentMode.map { RunLoop.Mode($0) } }

  /// Makes the loop run a block once, in its next pass in one of the modes, in the order of
  /// submission. Wakes the loop. Call it from any thread.
  ///
  /// If the loop's thread ends first, the block is freed without running.
  ///
  /// *Differences*: the toolchain's does not wake the loop.
  public func perform(inModes modes: [RunLoop.Mode], block: @escaping @Sendable () -> Void) {
    let names = modes.map { CFRunLoopMode($0) }
    loop.perform(names.count == 1 ? .one(names[0]) : .several(names), block)
    loop.wakeUp()
  }

  /// Makes the loop run a block once, in its next pass in a common mode, and wakes it. Call it
  /// from any thread. See ``perform(inModes:block:)``.
  public func perform(_ block: @escaping @Sendable () -> Void) {
    loop.perform(.one(.commonModes), block)
    loop.wakeUp()
  }

  /// Adds a timer to a mode, or to all common modes. Wakes the loop if it would sleep past the
  /// timer's date. Call it from any thread.
  ///
  /// The loop retains the timer until you invalidate it. The call does nothing if the timer is
  /// already there, is invalid, or is in another loop.
  ///
  /// Source: Apple's documentation of `RunLoop.add(_:forMode:)`.
  open func add(_ timer: Timer, forMode mode: RunLoop.Mode) {
    timer.timer.add(timer, to: loop, CFRunLoopMode(mode))
  }

  /// Adds a port to a mode, or to all common modes, so that this loop's thread handles its
  /// messages. Call it from any thread.
  ///
  /// The loop retains the port until you remove it from each mode or invalidate it, or the loop's
  /// thread ends. The call invokes ``Port/schedule(in:forMode:)``; it does nothing if the loop
  /// already has the port in this mode.
  ///
  /// Source: Apple's documentation of `RunLoop.add(_:forMode:)`.
  open func add(_ aPort: Port, forMode mode: RunLoop.Mode) {
    if aPort.mail.noteAdded(aPort, to: loop, CFRunLoopMode(mode)) {
      aPort.schedule(in: self, forMode: mode)
    }
  }

  /// Removes a port from a mode, or from all common modes if it was added to them. Call it from
  /// any thread.
  ///
  /// The call invokes ``Port/remove(from:forMode:)``; it does nothing if the port was not added
  /// to this mode.
  open func remove(_ aPort: Port, forMode mode: RunLoop.Mode) {
    if aPort.mail.noteRemoved(aPort, from: loop, CFRunLoopMode(mode)) {
      aPort.remove(from: self, forMode: mode)
    }
  }

  /// Runs the loop in a mode until it has handled one input source or a date has passed.
  /// ``run(mode:before:)`` does the same and also returns whether it ran.
  ///
  /// Call it on the loop's own thread; on any other thread it returns at once, as ``run()`` does.
  @available(*, noasync)
  open func acceptInput(forMode mode: String, before limitDate: Date) {
    guard mayRun("acceptInput(forMode:before:)") else { return }
    run(mode: RunLoop.Mode(mode), before: limitDate)
  }

  /// Makes one pass in a mode without sleeping, and returns when the mode's next timer or
  /// delayed perform is due.
  ///
  /// Call it on the loop's own thread; on any other thread it returns at once, as ``run()`` does.
  ///
  /// - Parameter mode: the mode to run in.
  /// - Returns: the date, `distantFuture` if the mode has only sources, or `nil` if it has nothing
  ///   or the thread is not the loop's own.
  @available(*, noasync)
  open func limitDate(forMode mode: RunLoop.Mode) -> Date? {
    guard mayRun("limitDate(forMode:)") else { return nil }
    let name = CFRunLoopMode(mode)
    let limit = UptimeLimit.passed
    guard loop.run(name, until: limit, leavesAfterSource: true) != nil else { return nil }
    return loop.nextDate(name) ?? .distantFuture
  }

  /// Names the loop's thread.
  open var description: String { "<RunLoop: \(loop.words)>" }
}

// SAFETY: unavailable; declared so that the compiler rejects sending a loop.
@available(*, unavailable)
extension RunLoop: @unchecked Sendable {}

extension RunLoop: Hashable, CustomStringConvertible {
  public static func == (a: RunLoop, b: RunLoop) -> Bool { a.loop === b.loop }

  public func hash(into hasher: inout Hasher) { hasher.combine(loop) }
}

extension RunLoop {
  /// Returns the `RunLoop` of a loop of the C interface: always the same object for the same loop.
  ///
  /// *Beyond Apple's API.*
  ///
  /// - Parameter loop: the loop of any thread.
  public static func of(_ loop: CFRunLoop) -> RunLoop { loop.asRunLoop }
}
