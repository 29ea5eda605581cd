// PressureStateMachineTests — levels from repeated signals. Plain logic: time is a number.

import SignalboxTestSupport
import Testing

@testable import SignalboxRuntime

@Suite("Pressure state machine", .guarded) struct PressureStateMachineTests {
  private let calm = PressureStateMachine.calm
  private let start: UInt64 = 1_000_000_000

  @Test func withoutSignalsThereIsNothingToDo() {
    var machine = PressureStateMachine()
    #expect(machine.level == .normal)
    #expect(machine.deadline == nil)
    #expect(machine.timePassed(to: start) == nil)
    #expect(machine.deadline == nil)
  }

  @Test(arguments: [PressureLevel.warning, .critical])
  func aLevelIsReportedOnceAndEndsAfterAWhileWithoutSignals(_ level: PressureLevel) {
    var machine = PressureStateMachine()
    #expect(machine.signalled(level, at: start) == level)
    #expect(machine.signalled(level, at: start + 1) == nil)
    #expect(machine.deadline == start + 1 + calm)
    #expect(machine.timePassed(to: start + calm) == nil)
    #expect(machine.timePassed(to: start + 1 + calm) == .normal)
    #expect(machine.deadline == nil)
    #expect(machine.timePassed(to: start + 2 * calm) == nil)
  }

  @Test func worsePressureIsReportedAndFallsBackToTheLowerLevel() {
    var machine = PressureStateMachine()
    #expect(machine.signalled(.warning, at: start) == .warning)
    #expect(machine.signalled(.critical, at: start + 10) == .critical)
    #expect(machine.signalled(.warning, at: start + 20) == nil)
    #expect(machine.deadline == start + 10 + calm)
    #expect(machine.timePassed(to: start + 10 + calm) == .warning)
    #expect(machine.deadline == start + 20 + calm)
    #expect(machine.timePassed(to: start + 20 + calm) == .normal)
  }

  @Test func afterALongSleepTheEndIsFoundAtOnce() {
    var machine = PressureStateMachine()
    _ = machine.signalled(.critical, at: start)
    #expect(machine.timePassed(to: start + 100 * calm) == .normal)
  }

  @Test func aSignalAtTheEndOfTimeOverflowsNothing() {
    var machine = PressureStateMachine()
    #expect(machine.signalled(.critical, at: .max - 1) == .critical)
    #expect(machine.deadline == .max)
  }
}
