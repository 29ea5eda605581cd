// TraceItemStackTests — the items that a thread is in, and how often it left the processor in a
// long one.

import Testing

@testable import SignalboxDiagnostics
@testable import SignalboxRuntime

@Suite struct TraceItemStackTests {
  private let moment: UInt64 = 1_000_000_000

  @Test func recordedSleepsThatDidNotSwitchAreNotSubtracted() {
    var stack = TraceItemStack()
    stack.begin(1, at: moment)
    _ = stack.end(1, at: moment + 1)
    // Many more than this thread can have had.
    for _ in 0..<1_000_000 { stack.noteSleep() }
    stack.begin(2, at: moment + 2)
    let switches = stack.end(2, at: moment + 2 + TraceItemStack.long)
    #expect(switches.voluntary == 0)
  }

  @Test func aShortItemHasNoSwitches() {
    var stack = TraceItemStack()
    stack.begin(1, at: moment)
    for _ in 0..<3 { stack.noteSleep() }
    let switches = stack.end(1, at: moment + TraceItemStack.long - 1)
    #expect(switches.voluntary == 0 && switches.involuntary == 0)
  }

  @Test func itemsBeyondTheDeepestEndInTheirOrder() {
    var stack = TraceItemStack()
    for item in UInt(1)...20 { stack.begin(item, at: moment) }
    for item in (UInt(1)...20).reversed() {
      let switches = stack.end(item, at: moment)
      #expect(switches.voluntary == 0 && switches.involuntary == 0)
    }
    // Nothing is left: an item that never began ends without a trace.
    #expect(stack.end(1, at: moment + TraceItemStack.long).voluntary == 0)
  }
}
