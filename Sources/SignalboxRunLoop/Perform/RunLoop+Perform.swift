// RunLoop+Perform — what a thread performs on its own loop later, ordered or after a delay, and
// how it cancels a perform. A closure replaces the selector, and an identity that the program
// chooses distinguishes one perform from another. Everything here is beyond Apple's API, whose
// forms take selectors.

public import FoundationEssentials
import SignalboxRuntime

extension RunLoop {
  /// Makes the loop perform a block once, at the beginning of its next pass in one of the
  /// modes. Performs with a lower order run first.
  ///
  /// ```swift
  /// RunLoop.current.perform("redraw", target: view, order: 10, modes: [.default]) { view.redraw() }
  /// RunLoop.current.cancelPerform("redraw", target: view)
  /// ```
  ///
  /// Performs of the same order run in the order of submission. Until the block has run, the loop
  /// retains the target and the block, and continues to run. Performs are not input sources: they
  /// don't end a run that returns after the first source.
  ///
  /// Call it on the loop's own thread; any other thread traps. To perform on another thread,
  /// see ``SignalboxThreads/Thread``.
  ///
  /// *Beyond Apple's API.* The counterpart is `perform(_:target:argument:order:modes:)` with a
  /// selector.
  ///
  /// - Parameters:
  ///   - identity: identifies the perform among the target's, in place of a selector.
  ///   - target: the object that the perform belongs to.
  ///   - argument: distinguishes performs of the same identity.
  ///   - order: the position; a lower order runs first.
  ///   - modes: the modes in which the block may run.
  ///   - block: the block to run.
  @available(*, noasync)
  public func perform(
    _ identity: AnyHashable, target: AnyObject, argument: AnyHashable? = nil, order: Int = 0,
    modes: [RunLoop.Mode], block: @escaping () -> Void
  ) {
    checkPerformThread("perform(_:target:argument:order:modes:block:)")
    let name = PerformName(target: target, identity: identity, argument: argument)
    loop.performs.addInOrder(.init(name, rank: Int64(order), modes: .init(modes), block))
    // A block added during a pass runs in the next one, and the loop must not sleep before it.
    loop.wakeUp()
  }

  /// Cancels the pending performs of ``perform(_:target:argument:order:modes:block:)`` with
  /// this identity, target and argument.
  ///
  /// Call it on the loop's own thread; any other thread traps.
  ///
  /// *Beyond Apple's API.* Apple's takes a selector.
  @available(*, noasync)
  public func cancelPerform(
    _ identity: AnyHashable, target: AnyObject, argument: AnyHashable? = nil
  ) {
    checkPerformThread("cancelPerform(_:target:argument:)")
    loop.performs
      .removeInOrder { $0.has(target: target, identity, argument: argument) }
      .cancel()
  }

  /// Cancels all pending performs of ``perform(_:target:argument:order:modes:block:)`` for a
  /// target.
  ///
  /// Call it on the loop's own thread; any other thread traps.
  ///
  /// *Beyond Apple's API*, which has this name for selectors.
  @available(*, noasync)
  public func cancelPerformSelectors(withTarget target: AnyObject) {
    checkPerformThread("cancelPerformSelectors(withTarget:)")
    loop.performs.removeInOrder { $0.has(target: target) }.cancel()
  }

  // MARK: After a delay

  /// Makes the loop perform a block once, in its first pass in one of the modes after a delay.
  /// With a delay of 0, the block runs after everything that is already due, not at once.
  ///
  /// ```swift
  /// RunLoop.current.perform(afterDelay: 0.5) { print("half a second later") }
  /// ```
  ///
  /// The loop treats the perform as a timer: it sleeps until the perform is due, keeps running
  /// for it, and does not count it as an input source. The loop retains the target and the block
  /// until the block has run.
  ///
  /// Call it on the loop's own thread; any other thread traps.
  ///
  /// *Beyond Apple's API.* The counterpart is `perform(_:with:afterDelay:inModes:)` of
  /// `NSObject`, on the current loop.
  ///
  /// - Parameters:
  ///   - identity: identifies the perform among the target's, in place of a selector.
  ///   - target: the object that the perform belongs to, for cancelling.
  ///   - argument: distinguishes performs of the same identity.
  ///   - delay: the delay in seconds, on the uptime clock. A negative number or NaN means 0.
  ///   - modes: the modes in which the block may run.
  ///   - block: the block to run.
  @available(*, noasync)
  public func perform(
    _ identity: AnyHashable? = nil, target: AnyObject? = nil, argument: AnyHashable? = nil,
    afterDelay delay: TimeInterval, inModes modes: [RunLoop.Mode] = [.default],
    block: @escaping () -> Void
  ) {
    checkPerformThread("perform(_:target:argument:afterDelay:inModes:block:)")
    let name = PerformName(target: target, identity: identity, argument: argument)
    let deadline = max(UptimeLimit.after(delay), Clock.uptime.now)
    loop.performs.addDelayed(
      .init(name, rank: Int64(clamping: deadline), modes: .init(modes), block))
  }

  /// Cancels all delayed performs of the calling thread's loop for a target.
  ///
  /// *Beyond Apple's API.* The counterpart is a class method of `NSObject`.
  @available(*, noasync)
  public class func cancelPreviousPerformRequests(withTarget target: AnyObject) {
    CFRunLoop.current.performs.removeDelayed { $0.has(target: target) }.cancel()
  }

  /// Cancels the delayed performs of the calling thread's loop with this target, identity and
  /// argument.
  ///
  /// *Beyond Apple's API.* The counterpart is a class method of `NSObject`, with a
  /// selector.
  @available(*, noasync)
  public class func cancelPreviousPerformRequests(
    withTarget target: AnyObject, identity: AnyHashable, argument: AnyHashable? = nil
  ) {
    CFRunLoop.current.performs
      .removeDelayed { $0.has(target: target, identity, argument: argument) }
      .cancel()
  }

  private func checkPerformThread(_ call: StaticString) {
    if loop.isCurrent { return }
    clientBug(
      "\(call) was called on \(loop.words) by \(ThreadName.ofThisThread): only the loop's own "
        + "thread may call it. Use Thread.perform(on:waitUntilDone:modes:block:), or perform(_:).")
  }
}
