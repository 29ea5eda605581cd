// RunLoop+Perform — what a thread has its own loop do later: in an order, or after a delay;
// and how it takes that back. A closure stands for a selector; a name of the program's
// choice tells one from the other. All of it beyond Apple's API, whose forms take selectors.

public import FoundationEssentials
import SignalboxRuntime

extension RunLoop {
  /// Has the loop perform a block, once, at the beginning of its next pass in one of the modes;
  /// those of a lower order first.
  ///
  /// ```swift
  /// RunLoop.current.perform("redraw", target: view, order: 10, modes: [.default]) { view.redraw() }
  /// RunLoop.current.cancelPerform("redraw", target: view)
  /// ```
  ///
  /// Those of the same order are performed as they came. The loop keeps the target and the
  /// block until then, and goes on running for them. They are no input source: a run that ends
  /// with the first source goes on.
  ///
  /// Traps on any other thread than the loop's own: see
  /// ``SignalboxThreads/Thread`` for performs on others.
  ///
  /// *Beyond Apple's API.* There it is `perform(_:target:argument:order:modes:)` with a selector.
  ///
  /// - Parameters:
  ///   - identity: which of the target's performs it is, in place of a selector.
  ///   - target: whose it is.
  ///   - argument: tells apart those of one identity.
  ///   - order: lower ones first.
  ///   - modes: in which modes.
  ///   - block: what to do.
  @available(*, noasync)
  public func perform(
    _ identity: AnyHashable, target: AnyObject, argument: AnyHashable? = nil, order: Int = 0,
    modes: [RunLoop.Mode], block: @escaping () -> Void
  ) {
    checkPerformThread("perform(_:target:argument:order:modes:block:)")
    let name = PerformName(target: target, identity: identity, argument: argument)
    loop.performs.addInOrder(.init(name, rank: Int64(order), modes: .init(modes), block))
    // Given in the midst of a pass, it is for the next, before which the loop must not sleep.
    loop.wakeUp()
  }

  /// Takes back what ``perform(_:target:argument:order:modes:block:)`` was given: all that has
  /// this identity, target and argument, and was not performed yet.
  ///
  /// Traps on any other thread than the loop's own.
  ///
  /// *Beyond Apple's API.* There it takes a selector.
  @available(*, noasync)
  public func cancelPerform(
    _ identity: AnyHashable, target: AnyObject, argument: AnyHashable? = nil
  ) {
    checkPerformThread("cancelPerform(_:target:argument:)")
    loop.performs
      .removeInOrder { $0.has(target: target, identity, argument: argument) }
      .cancel()
  }

  /// Takes back all that ``perform(_:target:argument:order:modes:block:)`` was given for a
  /// target.
  ///
  /// Traps on any other thread than the loop's own.
  ///
  /// *Beyond Apple's API*, which has it under the same name for selectors.
  @available(*, noasync)
  public func cancelPerformSelectors(withTarget target: AnyObject) {
    checkPerformThread("cancelPerformSelectors(withTarget:)")
    loop.performs.removeInOrder { $0.has(target: target) }.cancel()
  }

  // MARK: After a delay

  /// Has the loop perform a block, once, when some time has passed, in the first pass from then
  /// on in one of the modes. With a delay of 0 it stands behind all that is due already, and
  /// is not performed at once.
  ///
  /// ```swift
  /// RunLoop.current.perform(afterDelay: 0.5) { print("half a second later") }
  /// ```
  ///
  /// It is a timer as far as the loop is concerned: the loop sleeps until then, goes on running
  /// for it, and what it does is no input. The loop keeps the target and the block until then.
  ///
  /// Traps on any other thread than the loop's own.
  ///
  /// *Beyond Apple's API.* There it is `perform(_:with:afterDelay:inModes:)` of `NSObject`, of
  /// the current loop.
  ///
  /// - Parameters:
  ///   - identity: which of the target's performs it is, in place of a selector.
  ///   - target: whose it is, for who cancels it.
  ///   - argument: tells apart those of one identity.
  ///   - delay: in seconds of a clock that nobody sets. What is below 0, or no number, is 0.
  ///   - modes: in which modes.
  ///   - block: what to do.
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

  /// Takes back all that was given to the calling thread's loop for a target, to be performed
  /// after a delay.
  ///
  /// *Beyond Apple's API.* There it is a class method of `NSObject`.
  @available(*, noasync)
  public class func cancelPreviousPerformRequests(withTarget target: AnyObject) {
    CFRunLoop.current.performs.removeDelayed { $0.has(target: target) }.cancel()
  }

  /// Takes back what was given to the calling thread's loop for a target, with this identity and
  /// argument, to be performed after a delay.
  ///
  /// *Beyond Apple's API.* There it is a class method of `NSObject`, with a selector.
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
      "\(call) was called on \(loop.words) by \(ThreadName.ofThisThread): it is for the loop's own "
        + "thread. Use Thread.perform(on:waitUntilDone:modes:block:), or perform(_:).")
  }
}
