import SignalboxDispatch
import SignalboxThreads

extension Listing {
  static let number004_50 = Listing(
    "004-50", heading: "Creating threads with Thread",
    shows: "a detached thread with a method of a plain Swift class",
    outcome:
      "it ends with an invalid-argument exception: the target does not implement the selector",
    truth: "a closure is checked at compile time, so a plain class works",
    rows: ["T1"]
  ) { story in
    let test = Document004.PlainTestThread()
    let failure: String?
    do throws(Document004.InvalidArgument) {
      try Document004.detachNewThread(
        selector: "methodInSecondaryThread:", toTarget: test, withObject: "I am a argument")
      failure = nil
    } catch {
      failure = error.description
    }
    story.check(
      failure,
      is: "target does not implement selector (-[PlainTestThread methodInSecondaryThread:])",
      "the fault: a plain class has no methods that can be found by name")

    let hasRun = DispatchSemaphore(value: 0)
    DispatchQueue.main.sync {
      test.print("First event in Main Thread.")
      Thread.detachNewThread {
        test.methodInSecondaryThread("I am a argument")
        hasRun.signal()
      }
      test.print("Second event in Main Thread.")
    }
    hasRun.wait()
    story.tell(test.output)
    story.check(
      Set(test.output.lines),
      is: [
        "the main thread: First event in Main Thread.",
        "the main thread: Second event in Main Thread.",
        "another thread: I am a argument of event in Secondary Thread.",
      ], "the repair: the closure calls the method, on a thread of its own")
    story.check(
      test.output.lines.first, is: "the main thread: First event in Main Thread.",
      "the thread's line never comes before the first event; otherwise it comes when it comes")
  }
}

extension Document004 {
  /// The document's `TestThread`. It prints into a transcript, with the place.
  final class PlainTestThread: Sendable {
    let output = Transcript()

    func print(_ line: String) { output.append("\(Place.name): \(line)") }

    func methodInSecondaryThread(_ argument: String) {
      print("\(argument) of event in Secondary Thread.")
    }
  }

  /// Stands in for what Objective-C knows of a class: methods by their names.
  protocol ObjectiveCObject: AnyObject, Sendable {
    var methods: [String: @Sendable (String) -> Void] { get }
  }

  /// Stands in for `NSInvalidArgumentException`.
  struct InvalidArgument: Error, CustomStringConvertible {
    let target: String
    let selector: String
    var description: String { "target does not implement selector (-[\(target) \(selector)])" }
  }

  /// Stands in for `detachNewThreadSelector(_:toTarget:withObject:)`: the method is looked
  /// up at run time.
  static func detachNewThread(
    selector: String, toTarget target: AnyObject, withObject argument: String
  ) throws(InvalidArgument) {
    guard let method = (target as? any ObjectiveCObject)?.methods[selector] else {
      throw InvalidArgument(target: "\(type(of: target))", selector: selector)
    }
    Thread.detachNewThread { method(argument) }
  }
}
