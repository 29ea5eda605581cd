// PriorityNumberTests — the runtime's priorities, which the library knows as numbers.

import Testing

@testable import SignalboxConcurrency

@Suite("Priorities as numbers") struct PriorityNumberTests {
  @Test func theNumbersAreThoseOfTaskPriority() {
    #expect(PriorityNumber.utility == TaskPriority.utility.rawValue)
    #expect(PriorityNumber.utility == TaskPriority.low.rawValue)
    #expect(PriorityNumber.medium == TaskPriority.medium.rawValue)
    #expect(PriorityNumber.high == TaskPriority.high.rawValue)
    #expect(PriorityNumber.high == TaskPriority.userInitiated.rawValue)
    #expect(TaskPriority.background.rawValue < PriorityNumber.utility)
  }
}
