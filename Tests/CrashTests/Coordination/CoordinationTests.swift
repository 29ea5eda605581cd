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
    Misuse("a group is released before everyone has left", says: "group", "leave") {
      let group = DispatchGroup()
      group.enter()
      group.enter()
      group.leave()
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
