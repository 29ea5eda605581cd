// Misuse of groups, semaphores and once.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite("groups, semaphores and once out of balance trap")
struct CoordinationTests {
  @Test func leaveWithoutEnter() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      DispatchGroup().leave()
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "leave", "enter")
  }

  @Test func leaveOnceMoreThanEntered() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let group = DispatchGroup()
      let queue = DispatchQueue(label: "org.signalbox.crash.group")
      for _ in 0..<3 { group.enter() }
      queue.async(group: group) {}
      queue.sync {}
      for _ in 0..<4 { group.leave() }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "leave", "enter")
  }

  @Test func releaseOfAGroupThatIsNotEmpty() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      do {
        let group = DispatchGroup()
        group.enter()
        group.enter()
        group.leave()
      }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "group", "leave")
  }

  @Test func releaseOfASemaphoreBelowItsStartingValue() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      do {
        let semaphore = DispatchSemaphore(value: 2)
        semaphore.wait()
        semaphore.wait()
        semaphore.signal()
      }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "semaphore", "1", "2", "signal")
  }

  @Test func aNegativeStartingValue() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let semaphore = DispatchSemaphore(value: -3)
      semaphore.signal()
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "semaphore", "-3")
  }

  @Test func semaphoresAndGroupsAtTheirStartMayGo() async {
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
