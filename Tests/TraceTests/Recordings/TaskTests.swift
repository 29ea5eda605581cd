// TaskTests — jobs of tasks in a recording: number, priority and name of the task.

import SignalboxDiagnostics
import SignalboxRuntime
import SignalboxTestSupport
import SignalboxTrace
import Testing

@Suite(.guarded) struct TaskTests {
  @Test func allJobsOfATaskAreOneTask() throws {
    var image = ImageBuilder()
    image.object(40, .task, "decode")
    let job = TraceItemFlags.job.rawValue
    image.event(1, 1, .itemSubmitted, 7, 64, flags: job, a: 4, b: 17)
    image.event(2, 1, .place, 40, 0, a: TracePlaceOf.task.rawValue)
    image.event(3, 1, .itemSubmitted, 7, 128, flags: job, a: 2, b: 18)
    // No job: the number is none of a task's.
    image.event(4, 1, .itemSubmitted, 7, 192, b: 17)
    image.event(5, 2, .itemSubmitted, 9, 64, flags: job, b: 17)
    let trace = try image.trace()
    #expect(trace.items.task == [0, 1, -1, 0] && trace.tasks.number == [17, 18])
    #expect(
      (0..<4).map { trace.taskName(ofItem: $0) }
        == ["task 17 \"decode\"", "task 18", "", "task 17 \"decode\""])
    #expect(trace.items.qos == [4, 2, 0, 0])
  }

  @Test func aNameBelongsToTheSubmissionBeforeItOnItsThread() throws {
    var image = ImageBuilder()
    image.object(40, .task, "decode")
    let job = TraceItemFlags.job.rawValue
    image.event(1, 1, .itemSubmitted, 7, 64, flags: job, b: 17)
    image.event(2, 2, .itemSubmitted, 7, 128, flags: job, b: 18)
    image.event(3, 1, .place, 40, 0, a: TracePlaceOf.task.rawValue)
    // Its thread submitted nothing.
    image.event(4, 3, .place, 40, 0, a: TracePlaceOf.task.rawValue)
    let trace = try image.trace()
    #expect((0..<2).map { trace.taskName(ofItem: $0) } == ["task 17 \"decode\"", "task 18"])
  }

  @Test(.adopting) func aProgramsTasksHaveTheirNumbersPrioritiesAndNames() throws {
    let run = try Recorded("named-tasks")
    try #require(run.outcome.exit == .code(0), "\(run.outcome.standardError)")
    let facts = run.outcome.facts
    let trace = TraceModel(run.recording)
    func items(_ fact: String) throws -> [Int] {
      let number = try #require(facts[fact].flatMap { UInt32($0) })
      let task = try #require(trace.tasks.number.firstIndex(of: number))
      return (0..<trace.items.count).filter { trace.items.task[$0] == TraceModel.Index(task) }
    }
    let decode = try items("decode")
    #expect(facts["onMain"] == facts["decode"])
    // Its beginning, three times yielded, onto the queue and back, after two tasks, and onto the
    // main actor and back.
    #expect(decode.count >= 9)
    #expect(decode.allSatisfy { trace.items.flags[$0].contains(.job) })
    #expect(Set(decode.map { trace.items.qos[$0] }) == [4])
    let queues = Set(decode.map { trace.queueName(trace.items.queue[$0]) })
    #expect(
      queues.isSuperset(of: [
        "com.apple.root.user-initiated-qos.cooperative", "tasks.preferred",
        "com.apple.main-thread",
      ]))
    let number = try #require(facts["decode"])
    #expect(decode.allSatisfy { trace.taskName(ofItem: $0) == "task \(number) \"decode\"" })

    let long = try items("long").map { trace.string(trace.tasks.name[Int(trace.items.task[$0])]) }
    #expect(Set(long) == ["xy" + String(repeating: "é", count: 62)])
    let unnamed = try items("unnamed")
    #expect(!unnamed.isEmpty && unnamed.allSatisfy { trace.items.qos[$0] == 2 })
    #expect(
      unnamed.allSatisfy { trace.taskName(ofItem: $0) == "task \(facts["unnamed"] ?? "")" })
    let events = try #require(PlainText(trace).events)
    #expect(events.contains("(task \(number) \"decode\") to "))
  }
}
