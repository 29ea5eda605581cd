// AutoreleasePoolTests — `autoreleasepool(invoking:)` runs its body.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct AutoreleasePoolTests {
  struct Refused: Error {}

  @Test func bodyRunsOnceAndItsResultIsReturned() {
    var ran = 0
    let result = autoreleasepool {
      ran += 1
      return "result"
    }
    #expect(result == "result")
    #expect(ran == 1)
    autoreleasepool(invoking: { ran += 1 })
    #expect(ran == 2)
  }

  @Test func errorOfTheBodyIsRethrown() {
    #expect(throws: Refused.self) { try autoreleasepool { throw Refused() } }
  }

  @Test func poolsNestAndFreeWhatTheirBodyMade() throws {
    let tracker = LeakTracker()
    let depth = autoreleasepool {
      autoreleasepool {
        tracker.makeObject().touch()
        return 2
      }
    }
    #expect(depth == 2)
    #expect(tracker.alive == 0)
    #expect(tracker.made == 1)
  }
}
