// Isolation — a correct isolation check passes. A wrong one traps, in scenarios that end in the
// trap.

package let isolationScenarios: [String: AsyncScenario] = [
  "isolation-is-seen-where-it-is": {
    let box = Box()
    report("onTheActor", await box.isSeenFromPlainCode())
    report("inItsTask", await box.isSeenFromATaskOfIts())
    report("onTheMainActor", await mainActorIsSeenFromPlainCode())
    report(
      "inATaskOfTheMainActor", await Task { @MainActor in mainActorIsSeenByAssuming() }.value)
    report("onAGlobalActor", await globalActorIsSeenFromPlainCode())
    await box.keep { box in box.value += 1 }
    report("value", await box.value)
    report("isolationParameter", await isolation() == nil)
    report("isolationOfMain", await isolationOfMain())
  },

  "an-actor-assumed-off-it-traps": {
    assume(Box())
    report("reached", true)
  },
  "an-actor-required-off-it-traps": {
    let box = Box()
    box.preconditionIsolated("off the actor")
    report("reached", true)
  },
  "one-actor-assumed-on-another-traps": {
    let box = Box()
    await Box().keep { _ in assume(box) }
    report("reached", true)
  },
  "the-main-actor-assumed-off-it-traps": {
    await Task.detached { report("reached", mainActorIsSeenByAssuming()) }.value
  },
  "the-main-actor-required-on-an-actor-traps": {
    await Box().keep { _ in MainActor.preconditionIsolated("on an actor") }
    report("reached", true)
  },
  "an-actor-assumed-on-the-main-actor-traps": {
    let box = Box()
    await MainActor.run { assume(box) }
    report("reached", true)
  },
]

private actor Box {
  var value = 0

  func keep(_ body: @Sendable (isolated Box) -> Void) { body(self) }

  func isSeenFromPlainCode() -> Bool {
    preconditionIsolated()
    assertIsolated()
    return plain()
  }

  func isSeenFromATaskOfIts() async -> Bool { await Task { plain() }.value }

  nonisolated private func plain() -> Bool {
    assumeIsolated { $0.value += 1 }
    return true
  }
}

private func assume(_ box: Box) { box.assumeIsolated { $0.value += 1 } }

@globalActor private actor Registry {
  static let shared = Registry()
}

@Registry private func globalActorIsSeenFromPlainCode() -> Bool {
  @Sendable func plain() -> Bool {
    Registry.preconditionIsolated()
    return Registry.shared.assumeIsolated { _ in true }
  }
  return plain()
}

@MainActor private func mainActorIsSeenFromPlainCode() -> Bool { mainActorIsSeenByAssuming() }

private func mainActorIsSeenByAssuming() -> Bool {
  MainActor.preconditionIsolated()
  MainActor.assertIsolated()
  return MainActor.assumeIsolated { true }
}

private func isolation(_ actor: isolated (any Actor)? = #isolation) async -> (any Actor)? { actor }

@MainActor private func isolationOfMain() async -> Bool { await isolation() === MainActor.shared }
