// MainActorWork — the main actor, used by many tasks.

package let mainActorScenarios: [String: AsyncScenario] = [
  "the-main-actor-runs-one-at-a-time": {
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<100 {
        group.addTask {
          for step in 0..<50 {
            await onMain()
            if step.isMultiple(of: 16) { try? await Task.sleep(for: .milliseconds(1)) }
          }
        }
      }
    }
    await report("hops", mainHops)
    await report("overlaps", mainOverlaps)
  },

  "the-main-actor-is-open-while-it-waits": {
    let gate = Gate()
    let log = Log()
    let waiting = Task { @MainActor in
      log.add("waits")
      await gate.pass()
      log.add("goes on")
    }
    await MainActor.run {
      if log.all.isEmpty { log.add("too early") }
      log.add("meanwhile")
    }
    gate.open()
    await waiting.value
    report("order", log.joined)
  },

  "messages-to-the-main-actor-keep-their-order": {
    let log = Log()
    for number in 0..<1000 { await MainActor.run { log.add(number) } }
    report("inOrder", log.all == (0..<1000).map { "\($0)" })
  },
]

@MainActor private var mainHops = 0
@MainActor private var mainOverlaps = 0
private let inside = Tally()

@MainActor private func onMain() {
  if inside.increment() != 1 { mainOverlaps += 1 }
  mainHops += 1
  inside.decrement()
}
