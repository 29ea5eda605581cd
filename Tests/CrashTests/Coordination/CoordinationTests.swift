// Misuse of groups, semaphores and once.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite("groups, semaphores and once out of balance trap")
struct CoordinationTests: MisuseSuite {
  @Test(arguments: misuses) func isReported(_ misuse: Misuse) async { await misuse.expect() }

  static var misuses: [Misuse] {
    Misuse("a group is left without an enter", says: "leave", "enter") {
      DispatchGroup().leave()
    }
    Misuse("a group is left more often than it was entered", says: "leave", "enter") {
      let group = DispatchGroup()
      let queue = DispatchQueue(label: "org.signalbox.crash.group")
      for _ in 0..<3 { group.enter() }
      queue.async(group: group) {}
      queue.sync {}
      for _ in 0..<4 { group.leave() }
    }
    Misuse(
      "a semaphore is released below its starting value", says: "semaphore", "1", "2", "signal"
    ) {
      let semaphore = DispatchSemaphore(value: 2)
      semaphore.wait()
      semaphore.wait()
      semaphore.signal()
    }
    Misuse("a semaphore gets a negative starting value", says: "semaphore", "-3") {
      let semaphore = DispatchSemaphore(value: -3)
      semaphore.signal()
    }
  }

  /// The first one is reported, and the program continues.
  @Test func groupsMayBeReleasedWithMembers() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      for members in 2...3 {
        let group = DispatchGroup()
        for _ in 0..<members { group.enter() }
        group.leave()
        group.notify(queue: .global()) {}
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("a DispatchGroup was released with 1 member left"), "\(text)")
    #expect(!text.contains("2 members"), "\(text)")
  }

  @Test func idleSemaphoresAndGroupsMayBeReleased() async {
    await #expect(processExitsWith: .success) {
      Trap.arm()
      do {
        let semaphore = DispatchSemaphore(value: 1)
        semaphore.wait()
        semaphore.signal()
        semaphore.signal()
        let group = DispatchGroup()
        group.enter()
        group.leave()
        group.wait()
      }
    }
  }
}
