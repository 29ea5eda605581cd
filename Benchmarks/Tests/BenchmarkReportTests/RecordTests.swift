import BenchmarkRecord
import Testing

@Suite struct RecordTests {
  static let goals: [Goal] = [
    .ratio(0.4, required: true), .ratio(1.1, required: false), .value(100),
    .alone(40, required: true),
    .alone(1.1, required: false), .none,
  ]

  @Test(arguments: goals) func aRecordComesBackFromItsLine(goal: Goal) {
    let record = Record(
      subject: "hop", name: "hop-pinned", title: "hop: A = B, and `back`", unit: "µs", goal: goal,
      median: 1.25, minimum: 0.5, operations: 300, switches: 0.125, processorTime: 2.5,
      note: "12 of 64")
    #expect(Record(record.description) == record)
  }

  @Test func aRecordWithoutANoteComesBackFromItsLine() {
    let record = Record(
      subject: "a", name: "a", title: "t", unit: "ns", goal: .none, median: 1, minimum: 1,
      operations: 1, switches: 0)
    #expect(Record(record.description) == record)
  }

  @Test(arguments: ["", "name=a", "name=a\tgarbage", "ratio"])
  func aBrokenLineIsNoRecord(line: String) {
    #expect(Record(line) == nil)
  }

  @Test(arguments: [
    "", "ratio", "ratio x", "ratio 1 maybe", "value", "none 1", "value 1 required", "alone",
    "alone 1 maybe",
  ])
  func brokenWordsAreNoGoal(words: String) {
    #expect(Goal(words) == nil)
  }

  @Test func aListingComesBackFromItsLine() {
    let listing = Listing(
      name: "hop", kind: .latency, pinned: true, countedOperations: 7, leastOperations: 9)
    #expect(Listing(listing.description) == listing)
    #expect(Listing("hop\tsometimes\ttrue\t7\t9\tfalse") == nil)
  }

  @Test func aListingKeepsThatItStandsAlone() {
    let listing = Listing(
      name: "event", kind: .episode, pinned: false, countedOperations: 0, alone: true)
    #expect(Listing(listing.description) == listing)
    #expect(listing != Listing(name: "event", kind: .episode, pinned: false, countedOperations: 0))
  }
}
