import SignalboxDispatch
import SignalboxThreads

extension Listing {
  static let number004_51 = Listing(
    "004-51", heading: "Creating threads with Thread",
    shows: "two ways of making the method visible to Objective-C",
    outcome: "both ways let the runtime find the method",
    truth: "both are obsolete: a thread's closure, or its arguments, need neither",
    rows: ["T1"]
  ) { story in
    let lines = Transcript()
    let hasRun = DispatchSemaphore(value: 0)
    let print: @Sendable (String) -> Void = { line in
      lines.append(line)
      hasRun.signal()
    }

    let object = Document004.ObjectTestThread(print)
    try Document004.detachNewThread(
      selector: "methodInSecondaryThread:", toTarget: object, withObject: "I am a argument")
    hasRun.wait()
    story.check(
      lines.lines, is: ["I am a argument of event in Secondary Thread."],
      "1. the class is made an Objective-C object")

    let marked = Document004.MarkedTestThread(print)
    try Document004.detachNewThread(
      selector: "methodInSecondaryThread:", toTarget: marked, withObject: "I am another")
    hasRun.wait()
    story.check(
      lines.lines.last, is: "I am another of event in Secondary Thread.",
      "2. the method alone is marked")
    var isFound = true
    do throws(Document004.InvalidArgument) {
      try Document004.detachNewThread(
        selector: "otherMethod:", toTarget: marked, withObject: "I am a argument")
    } catch {
      isFound = false
    }
    story.check(!isFound, "then its other methods are as unknown as before")

    // Today: the compiler knows the method, its arguments and their types.
    Thread.detachNewThread(with: "I am an argument", 2) { argument, number in
      print("\(argument), and \(number) is a number")
    }
    hasRun.wait()
    story.check(
      lines.lines.last, is: "I am an argument, and 2 is a number",
      "a closure needs neither, and takes any arguments")
  }
}

extension Document004 {
  /// `class TestThread: NSObject`: every method is known by name.
  final class ObjectTestThread: ObjectiveCObject {
    private let print: @Sendable (String) -> Void

    init(_ print: @escaping @Sendable (String) -> Void) { self.print = print }

    func methodInSecondaryThread(_ argument: String) {
      print("\(argument) of event in Secondary Thread.")
    }

    func otherMethod(_ argument: String) { print(argument) }

    var methods: [String: @Sendable (String) -> Void] {
      ["methodInSecondaryThread:": methodInSecondaryThread, "otherMethod:": otherMethod]
    }
  }

  /// `@objc func methodInSecondaryThread`: this one is, and no other.
  final class MarkedTestThread: ObjectiveCObject {
    private let print: @Sendable (String) -> Void

    init(_ print: @escaping @Sendable (String) -> Void) { self.print = print }

    func methodInSecondaryThread(_ argument: String) {
      print("\(argument) of event in Secondary Thread.")
    }

    func otherMethod(_ argument: String) { print(argument) }

    var methods: [String: @Sendable (String) -> Void] {
      ["methodInSecondaryThread:": methodInSecondaryThread]
    }
  }
}
