import SignalboxDispatch

extension Listing {
  static let number004_06 = Listing(
    "004-06", heading: "Autorelease pool",
    shows: "the same with a trailing closure",
    outcome: "the body runs, and its value and its errors reach the caller",
    truth:
      "on Linux nothing is delayed to the pool's end: an object is freed with its last "
      + "reference",
    rows: ["Q16", "T5"]
  ) { story in
    let printed = Transcript()
    let done = DispatchSemaphore(value: 0)
    @Sendable func performInBackground() {
      autoreleasepool {
        printed.append("I am an event, performed in the background.")
      }
    }
    DispatchQueue.global(qos: .background).async {
      performInBackground()
      done.signal()
    }
    done.wait()
    story.check(
      printed.lines, is: ["I am an event, performed in the background."], "the body has run once")

    story.check(autoreleasepool { 6 * 7 }, is: 42, "the value of the body is passed on")
    let wasThrown: Bool
    do {
      try autoreleasepool { throw Failure() }
      wasThrown = false
    } catch {
      wasThrown = error is Failure
    }
    story.check(wasThrown, "so is its error")

    // What the document wants the pool for: a loop that makes many objects.
    var most = 0
    for _ in 0..<1_000 {
      autoreleasepool {
        let object = Counted()
        most = max(most, Counted.living.value)
        withExtendedLifetime(object) {}
      }
    }
    story.check(most, is: 1, "of a thousand objects one at a time was living")
    story.check(Counted.living.value, is: 0, "and in the end none")
  }
}

private struct Failure: Error {}

private final class Counted: Sendable {
  static let living = Cell(0)
  init() { Self.living.withValue { $0 += 1 } }
  deinit { Self.living.withValue { $0 -= 1 } }
}
