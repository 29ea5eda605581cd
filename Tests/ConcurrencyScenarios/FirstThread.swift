// FirstThread — the main actor and the first thread belong together once Signalbox runs Swift's
// jobs. The toolchain ends its first thread, and then any worker serves the main actor.

package let firstThreadScenarios: [String: AsyncScenario] = [
  "the-main-actor-keeps-to-the-first-thread": {
    let place = Place()
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<50 {
        group.addTask {
          for step in 0..<20 {
            await place.look()
            if (task + step).isMultiple(of: 7) { try? await Task.sleep(for: .milliseconds(1)) }
          }
        }
      }
      group.addTask { await place.stay() }
    }
    await report("looks", place.looks)
    await report("strays", place.strays)
  }
]

/// Where code of the main actor runs.
@MainActor package final class Place {
  package private(set) var looks = 0
  package private(set) var strays = 0

  nonisolated package init() {}

  package func look() {
    MainActor.preconditionIsolated()
    looks += 1
    if !isOnFirstThread() { strays += 1 }
  }

  /// Runs main-actor code that suspends in every way.
  package func stay() async {
    for step in 0..<20 {
      look()
      switch step % 5 {
      case 0: try? await Task.sleep(for: .milliseconds(2))
      case 1: await Task.yield()
      case 2: await Task.detached {}.value
      case 3: await withCheckedContinuation { done in startThread { done.resume() } }
      default: await withTaskGroup(of: Void.self) { $0.addTask {} }
      }
      look()
    }
  }
}
