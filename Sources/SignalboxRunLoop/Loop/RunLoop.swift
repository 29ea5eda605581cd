// RunLoop — a thread's run loop, as Swift knows it: a face of `CFRunLoop`.

public import FoundationEssentials
import SignalboxRuntime

/// A thread's run loop: it calls what was added to it when the time has come, and sleeps
/// meanwhile.
///
/// ```swift
/// let thread = Thread {
///   let timer = Timer(timeInterval: 1, repeats: true) { _ in print("tick") }
///   RunLoop.current.add(timer, forMode: .default)
///   RunLoop.current.run(until: Date(timeIntervalSinceNow: 5))
/// }
/// ```
///
/// Each thread has one, made when it is first asked for and freed with the thread. The
/// functions that run it are for its own thread, and trap on any other; all else may be called
/// from any thread. It is not `Sendable`, as it is not elsewhere: to hand a loop to another
/// thread, hand on its ``getCFRunLoop()``.
///
/// See <doc:RunLoops> for what it does in which order.
///
/// Source: Apple's documentation of `RunLoop`.
open class RunLoop {
  let loop: CFRunLoop

  init(_ loop: CFRunLoop) { self.loop = loop }

  /// The calling thread's loop.
  @available(*, noasync)
  open class var current: RunLoop { CFRunLoop.current.asRunLoop }

  /// The loop of the process's first thread. Any thread.
  open class var main: RunLoop { CFRunLoop.main.asRunLoop }

  /// The same loop, as the C interface takes it.
  open func getCFRunLoop() -> CFRunLoop { loop }

  /// The mode in which it runs now, of its innermost run; `nil` if it does not run. Any
  /// thread.
  open var currentMode: RunLoop.Mode? { loop.currentMode.map { RunLoop.Mode($0) } }

  /// Has the loop run a block, once, in its next pass in one of the modes; in order with the
  /// others. Wakes it. Any thread.
  ///
  /// If the loop's thread ends before, the block is freed and not run.
  ///
  /// *Differences*: the toolchain's does not wake the loop.
  public func perform(inModes modes: [RunLoop.Mode], block: @escaping @Sendable () -> Void) {
    let names = modes.map { CFRunLoopMode($0) }
    loop.perform(names.count == 1 ? .one(names[0]) : .several(names), block)
    loop.wakeUp()
  }

  /// Has the loop run a block, once, in its next pass in a common mode, and wakes it. Any
  /// thread. See ``perform(inModes:block:)``.
  public func perform(_ block: @escaping @Sendable () -> Void) {
    loop.perform(.one(.commonModes), block)
    loop.wakeUp()
  }

  /// Adds a timer to a mode, or to all common ones, and wakes the loop if it sleeps longer than
  /// until it is due. Any thread.
  ///
  /// The loop keeps the timer until that is invalidated. Nothing happens if it is there already,
  /// invalid, or in another loop.
  ///
  /// Source: Apple's documentation of `RunLoop.add(_:forMode:)`.
  open func add(_ timer: Timer, forMode mode: RunLoop.Mode) {
    timer.timer.add(timer, to: loop, CFRunLoopMode(mode))
  }

  /// Adds a port to a mode, or to all common ones: its messages are handled by this loop's
  /// thread. Any thread.
  ///
  /// The loop keeps the port until you remove it from each mode, invalidate it, or the loop's
  /// thread ends. Calls ``Port/schedule(in:forMode:)``; nothing happens if the loop has the port in
  /// this mode already.
  ///
  /// Source: Apple's documentation of `RunLoop.add(_:forMode:)`.
  open func add(_ aPort: Port, forMode mode: RunLoop.Mode) {
    if aPort.mail.noteAdded(aPort, to: loop, CFRunLoopMode(mode)) {
      aPort.schedule(in: self, forMode: mode)
    }
  }

  /// Removes a port from a mode, or from all common ones if it was added to them. Any thread.
  ///
  /// Calls ``Port/remove(from:forMode:)``; nothing happens if the port was not added to this mode.
  open func remove(_ aPort: Port, forMode mode: RunLoop.Mode) {
    if aPort.mail.noteRemoved(aPort, from: loop, CFRunLoopMode(mode)) {
      aPort.remove(from: self, forMode: mode)
    }
  }

  /// Runs the loop in a mode until it has handled one input source, or a date has passed. As
  /// ``run(mode:before:)``, which says what it did.
  ///
  /// Traps on any other thread than the loop's own.
  @available(*, noasync)
  open func acceptInput(forMode mode: String, before limitDate: Date) {
    checkThread("acceptInput(forMode:before:)")
    run(mode: RunLoop.Mode(mode), before: limitDate)
  }

  /// Makes one pass in a mode, without a sleep, and says when the next of its timers is due, or
  /// of what it performs after a delay.
  ///
  /// Traps on any other thread than the loop's own.
  ///
  /// - Parameter mode: in which mode.
  /// - Returns: `distantFuture` if there are only sources; `nil` if there is nothing.
  @available(*, noasync)
  open func limitDate(forMode mode: RunLoop.Mode) -> Date? {
    checkThread("limitDate(forMode:)")
    let name = CFRunLoopMode(mode)
    let limit = UptimeLimit.passed
    guard loop.run(name, until: limit, leavesAfterSource: true) != nil else { return nil }
    return loop.nextDate(name) ?? .distantFuture
  }

  /// Whose loop it is.
  open var description: String { "<RunLoop: \(loop.words)>" }
}

// SAFETY: unavailable; it is here to say no.
@available(*, unavailable)
extension RunLoop: @unchecked Sendable {}

extension RunLoop: Hashable, CustomStringConvertible {
  public static func == (a: RunLoop, b: RunLoop) -> Bool { a.loop === b.loop }

  public func hash(into hasher: inout Hasher) { hasher.combine(loop) }
}

extension RunLoop {
  /// The loop of the C interface as a `RunLoop`: the same one for the same loop.
  ///
  /// *Beyond Apple's API.*
  ///
  /// - Parameter loop: any thread's.
  public static func of(_ loop: CFRunLoop) -> RunLoop { loop.asRunLoop }
}
