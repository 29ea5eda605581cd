// GroupsTests — the code of "Groups".

import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite("Groups") struct GroupsTests {
  @Test func aGroupNotifiesWhenAllItsWorkHasEnded() throws {
    let finished = EventCounter()
    let log = EventLog<String>()
    let ui = DispatchQueue(label: "org.example.ui")
    let tell: @Sendable () -> Void = {
      log.append("told")
      finished.increment()
    }
    let fetch: @Sendable (String) -> Void = { log.append($0) }
    // block: Groups/notify
    let group = DispatchGroup()
    for address in ["a", "b", "c"] {
      DispatchQueue.global().async(group: group) { fetch(address) }
    }
    group.notify(queue: ui) { tell() }
    // end
    try finished.wait(for: 1)
    #expect(log.all.count == 4 && log.all.last == "told")
  }

  @Test func enterAndLeaveForWorkThatContinues() {
    let net = DispatchQueue(label: "org.example.net")
    let photos = EventCounter()
    let download: @Sendable (String, @escaping @Sendable () -> Void) -> Void = { _, done in
      net.async {
        photos.increment()
        done()
      }
    }
    // block: Groups/enter
    let group = DispatchGroup()
    for address in ["a", "b", "c"] {
      group.enter()
      download(address) { group.leave() }
    }
    if group.wait(timeout: .now() + .seconds(60)) == .timedOut {
      print("the network is slow")
    }
    // end
    #expect(photos.value == 3)
  }

  @Test func leaveTooOften() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      // block: Groups/leave-too-often
      let group = DispatchGroup()
      group.enter()
      group.leave()
      group.leave()
      // end
    }
    // block: Groups/leave-too-often-said
    let said = """
      BUG IN CLIENT OF SIGNALBOX: leave() on an empty DispatchGroup:
      each leave() needs an enter() before it.
      """
    // end
    Said.expect(result?.standardErrorContent, said)
  }

  @Test func releasedWithMembers() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      do {
        let group = DispatchGroup()
        group.enter()
      }
    }
    // block: Groups/released-said
    let said = """
      SIGNALBOX: a DispatchGroup was released with 1 member left: it is
      never empty now, and its notifications never run. Call leave() as
      often as enter().
      """
    // end
    Said.expect(result?.standardErrorContent, said)
  }
}
