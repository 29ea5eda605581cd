import SignalboxRunLoop

extension Listing {
  static let number004_28 = Listing(
    "004-28", heading: "Input sources: perform",
    shows: "cancelling earlier delayed performs of a target, all or by selector and argument",
    outcome: "only those of the current thread's loop",
    truth: "a name that the program chooses replaces the selector",
    rows: ["T5"]
  ) { story in
    let all = Document004.performed { _ in }
    story.check(
      all,
      is: [
        "first draw 1", "first draw 2", "first save 1", "first save 2",
        "second draw 1", "second draw 2", "second save 1", "second save 2",
      ], "without a cancel all are performed")
    story.check(
      Document004.performed { first in
        RunLoop.cancelPreviousPerformRequests(withTarget: first)
      }, is: all.filter { !$0.hasPrefix("first") }, "all of one target can be taken back")
    story.check(
      Document004.performed { first in
        RunLoop.cancelPreviousPerformRequests(withTarget: first, identity: "draw", argument: 2)
      }, is: all.filter { $0 != "first draw 2" }, "or those of one name and argument")
    story.check(
      Document004.performed { first in
        RunLoop.cancelPreviousPerformRequests(withTarget: first, identity: "draw")
      }, is: all, "no argument is one of its own: it does not stand for any")
    story.check(
      Document004.performed { first in
        onLoopThread { _ in RunLoop.cancelPreviousPerformRequests(withTarget: first) }
      }, is: all, "another thread's cancel is about its own loop, and takes nothing back here")
  }
}

extension Document004 {
  final class PerformTarget: Sendable {}

  /// On a thread with a loop: asks for performs of two targets, cancels some, and runs the
  /// loop until none is left.
  ///
  /// - Returns: which were performed.
  static func performed(cancel: @escaping @Sendable (PerformTarget) -> Void) -> [String] {
    onLoopThread { _ in
      let performed = Transcript()
      let targets = [PerformTarget(), PerformTarget()]
      for (name, target) in zip(["first", "second"], targets) {
        for identity in ["draw", "save"] {
          for argument in 1...2 {
            RunLoop.current.perform(
              identity, target: target, argument: argument, afterDelay: 0
            ) { performed.append("\(name) \(identity) \(argument)") }
          }
        }
      }
      cancel(targets[0])
      CFRunLoopRunInMode(.defaultMode, 1e10, false)
      return performed.lines
    }
  }
}
