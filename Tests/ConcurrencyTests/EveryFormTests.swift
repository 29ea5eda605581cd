// EveryFormTests — what holds for every form of waiting.

@testable import SignalboxConcurrency
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct EveryFormTests {
  @Test(arguments: FormKind.allCases) func theAwaitedEventEndsTheWait(_ kind: FormKind) async {
    let form = kind.make()
    let tasks = (0..<3).map { _ in ending(form.wait) }
    if kind != .sleep { await until { form.remembered() == tasks.count } }
    form.bring()
    for task in tasks { #expect(await task.value == .came) }
    #expect(form.remembered() == 0)
  }

  @Test(arguments: FormKind.allCases) func anEventThatHasOccurredIsNotWaitedFor(_ kind: FormKind)
    async
  {
    let form = kind.make()
    form.bring()
    if kind == .sleep { letRealTimePass(RealTime.delay) }
    #expect(await ending(form.wait).value == .came)
    #expect(form.remembered() == 0)
  }

  @Test(arguments: FormKind.allCases) func aCancelledTaskEndsOnlyItsOwnWait(
    _ kind: FormKind
  ) async {
    let form = kind.make()
    let tasks = (0..<5).map { _ in ending(form.wait) }
    if kind != .sleep { await until { form.remembered() == tasks.count } }
    for task in [tasks[0], tasks[2], tasks[4]] {
      task.cancel()
      if kind != .sleep { #expect(await task.value == .cancelled) }
    }
    if kind != .sleep { #expect(form.remembered() == 2) }
    form.bring()
    #expect(await tasks[1].value == .came)
    #expect(await tasks[3].value == .came)
    #expect(form.remembered() == 0)
  }

  @Test(arguments: FormKind.allCases) func aTaskThatIsCancelledAlreadyDoesNotWait(
    _ kind: FormKind
  ) async {
    for isThere in [false, true] {
      let form = kind.make()
      if isThere { form.bring() }
      let task = ending {
        withUnsafeCurrentTask { $0?.cancel() }
        try await form.wait()
      }
      #expect(await task.value == .cancelled)
      #expect(form.remembered() == 0)
      if !isThere { form.bring() }
    }
  }

  /// A task that waits and gives up repeatedly leaves nothing behind.
  @Test(arguments: [FormKind.group, .workItem, .gate, .notification])
  func cancelledWaitsLeaveNothing(_ kind: FormKind) async {
    let form = kind.make()
    for _ in 0..<2000 {
      let task = ending(form.wait)
      task.cancel()
      #expect(await task.value == .cancelled)
      #expect(form.remembered() == 0)
    }
    form.bring()
  }

  /// The task resumes where it was: on the main actor, if it was there.
  @Test(arguments: FormKind.allCases) @MainActor func theTaskContinuesOnItsActor(
    _ kind: FormKind
  ) async throws {
    let form = kind.make()
    let task = Task { @MainActor in
      try await form.wait()
      MainActor.preconditionIsolated()
    }
    if kind != .sleep { await until { form.remembered() == 1 } }
    form.bring()
    try await task.value
  }

  /// Every waiter is resumed once, whichever event is first; an unused event stays for
  /// others.
  @Test(arguments: FormKind.allCases) func theEventAndTheCancellationMayRace(
    _ kind: FormKind
  ) async {
    var random = SeededGenerator.announced()
    for round in 0..<150 {
      let form = kind == .sleep ? shortSleep(&random) : kind.make()
      let tasks = (0..<Int.random(in: 1...6, using: &random)).map { _ in ending(form.wait) }
      let cancelled = tasks.indices.filter { _ in Bool.random(using: &random) }
      let (before, between) = (
        Int.random(in: 0...2000, using: &random), Int.random(in: 0...500, using: &random)
      )
      let brings = Task.detached {
        idle(before)
        form.bring()
      }
      for index in cancelled {
        idle(between)
        tasks[index].cancel()
      }
      await brings.value
      for index in tasks.indices {
        let ending = await tasks[index].value
        #expect(
          ending == .came || (ending == .cancelled && cancelled.contains(index)), "round \(round)")
      }
      #expect(form.remembered() == 0, "round \(round)")
    }
  }

  private func shortSleep(_ random: inout SeededGenerator) -> Form {
    let deadline = SignalboxClock.Instant.now.advanced(
      by: .microseconds(Int.random(in: 0...300, using: &random)))
    return Form(
      description: "sleep",
      wait: { try await Task.sleep(until: deadline, tolerance: .zero, clock: .signalbox) },
      bring: {}, remembered: { 0 })
  }
}

/// Computes for a few nanoseconds in each step.
@inline(never)
func idle(_ steps: Int) {
  var state = SeededGenerator(seed: UInt64(steps))
  for _ in 0..<steps { _ = state.next() }
}
