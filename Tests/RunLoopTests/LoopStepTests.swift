// LoopStepTests — steps of loops as numbers.

@testable import SignalboxRunLoop
import Testing

@Suite struct LoopStepTests {
  /// Steps without a result come first, without a gap.
  @Test func everyNumberIsOneStep() {
    var count: UInt64 = 0
    while let step = LoopStep(number: count) {
      #expect(step.number == count)
      count += 1
    }
    #expect(count == 15)
    #expect(LoopStep(number: 127) == nil)
    for result in [CFRunLoopRunResult.finished, .stopped, .timedOut, .handledSource] {
      #expect(LoopStep(number: LoopStep.exit(result).number) == .exit(result))
    }
  }
}
