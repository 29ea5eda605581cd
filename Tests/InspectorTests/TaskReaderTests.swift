// TaskReaderTests — what a reader in another process says of the jobs of tasks.

import CSignalbox
import SignalboxTestSupport
import Testing

@testable import SignalboxInspector

@Suite struct TaskReaderTests {
  /// What the report says of the job that a thread runs.
  private func words(
    layout: UInt64 = 1, _ job: (ProcessImage) -> (job: UInt64, number: UInt64)
  ) throws -> String? {
    let image = ProcessImage()
    image.describeTasks(layout: layout)
    let (job, number) = job(image)
    image.thread(1, runs: job, number)
    let inspection = try #require(image.inspect())
    let seen = inspection.threads.first?.job?.words
    let text = ProcessImage.text(of: inspection)
    if let seen { #expect(text.contains(", in \(seen), waits ")) }
    if seen == nil { #expect(!text.contains(", in ")) }
    return seen
  }

  private func task(
    _ number: UInt64, kind: UInt64 = 0, priority: UInt64 = 25, name: String? = nil,
    began: UInt64? = nil, _ change: @escaping (ProcessImage, Int) -> Void = { _, _ in }
  ) -> (ProcessImage) -> (job: UInt64, number: UInt64) {
    { image in
      let job = image.job(number: number, kind: kind, priority: priority, name: name)
      change(image, job)
      return (image.address(job), (began ?? number) & 0xFFFF_FFFF)
    }
  }

  private static let noDetails = "a job of a task or an actor"

  // MARK: What a thread runs

  @Test func aTaskHasItsNumberItsNameAndItsPriority() throws {
    #expect(try words(task(17, name: "decode")) == #"task 17 "decode" (user-initiated)"#)
    #expect(try words(task(1 << 32 | 5, priority: 0)) == "task 4294967301")
    #expect(try words(task(18, kind: 192, priority: 9)) == "a job of an actor (background)")
    #expect(try words { _ in (0, 0) } == nil)
  }

  @Test func anotherLayoutHasNoDetails() throws {
    for layout: UInt64 in [0, 2, 3, 1 << 31] {
      #expect(try words(layout: layout, task(17, name: "decode")) == TaskReaderTests.noDetails)
    }
  }

  /// A task may end, and its memory be used again, just before its thread says so.
  @Test func whatIsNoLongerTheSameTaskHasNoDetails() throws {
    #expect(try words(task(18, name: "decode", began: 17)) == TaskReaderTests.noDetails)
    #expect(
      try words(task(17) { image, job in image.put(1, at: job) }) == TaskReaderTests.noDetails)
    // A kind that is not known.
    #expect(try words(task(17, kind: 195)) == TaskReaderTests.noDetails)
    #expect(try words(task(0)) == TaskReaderTests.noDetails)
    for address: UInt64 in [8, .max - 16, 1 << 46] {
      #expect(try words { _ in (address, 17) } == TaskReaderTests.noDetails)
    }
  }

  @Test func aJobThatChangesWhileItIsReadHasNoDetails() throws {
    let image = ProcessImage()
    image.describeTasks()
    let jobs = [image.job(number: 17), image.job(number: 18)]
    let storage = image.thread(1, runs: image.address(jobs[0]), 17)
    image.beforeReading = { reading in
      let job = jobs[reading % 2]
      image.put(image.address(job), at: storage + ProcessImage.job)
      image.put(UInt64(17 + reading % 2), at: storage + ProcessImage.jobNumber, size: 4)
    }
    let inspection = try #require(image.inspect())
    #expect(inspection.threads.first?.job == .unknown)
  }

  @Test func aNameThatCannotBeReadIsLeftOut() throws {
    let circle = task(17, name: "decode") { image, job in
      let record = image.make(32)
      image.put(3, at: record)
      image.put(image.address(record), at: record + 8)
      image.put(image.address(record), at: job + 0x68)
    }
    #expect(try words(circle) == "task 17 (user-initiated)")
    for address: UInt64 in [0, 8, .max - 8] {
      let wild = task(17, name: "decode") { image, job in image.put(address, at: job + 0x68) }
      #expect(try words(wild) == "task 17 (user-initiated)")
    }
  }

  @Test func aNameIsTextOnOneLineOfALimitedLength() throws {
    #expect(
      try words(task(17, name: "a\u{1B}[2J\n\"b\""))
        == #"task 17 "a\u{1B}[2J\n\"b\"" (user-initiated)"#)
    let long = try words(task(17, name: String(repeating: "x", count: 4000))) ?? ""
    #expect(long.hasPrefix("task 17 \"xxx") && long.utf8.count < Limits.text + 64)
  }

  @Test func prioritiesHaveTheClassesOfTheEngine() {
    let names = [nil, "background", "utility", "default", "user-initiated", "user-interactive"]
    for priority in UInt8.min...UInt8.max {
      #expect(TaskReader.words(forPriority: priority) == names[Int(csb_task_class(priority))])
    }
  }

  // MARK: What waits in a queue

  /// A queue's line in a report, with these items in its list.
  private func line(_ items: [(ProcessImage) -> Int], isCircle: Bool = false) throws -> String {
    let image = ProcessImage()
    image.describeTasks()
    let queue = image.queue("list", state: 0)
    let places = items.map { $0(image) }
    image.put(image.address(places[0]), at: queue + 24)
    for (item, next) in zip(places, places.dropFirst() + (isCircle ? [places[0]] : [])) {
      image.put(image.address(next), at: item)
    }
    let inspection = try #require(image.inspect())
    let text = ProcessImage.text(of: inspection)
    return text.split(separator: "\n").first { $0.hasPrefix("the queue \"list\"") }.map(String.init)
      ?? ""
  }

  private func inPlace(_ number: UInt64) -> (ProcessImage) -> Int {
    { image in
      let item = image.job(number: number) + 16
      image.put(ProcessImage.itemFunction, at: item + 8)
      return item
    }
  }

  private func node(_ flags: UInt64, _ number: UInt64) -> (ProcessImage) -> Int {
    { image in
      let item = image.make(56)
      image.put(flags, at: item + 16, size: 4)
      image.put(image.address(image.job(number: number)), at: item + 24)
      return item
    }
  }

  @Test func theFirstJobsInAListAreNamed() throws {
    let flag = ProcessImage.jobFlag
    #expect(
      try line([node(0, 3), inPlace(4), node(flag, 5)]).contains(
        "holds 3 items: task 4 (user-initiated), task 5 (user-initiated); "))
    #expect(
      try line((1...5).map(inPlace)).contains(
        "holds 5 items: task 1 (user-initiated), task 2 (user-initiated), task 3 (user-initiated), and others; "
      ))
    #expect(try line([node(0, 3)]).contains("holds 1 item; "))
  }

  @Test func aListInACircleEnds() throws {
    let line = try line([inPlace(4), node(0, 5)], isCircle: true)
    #expect(line.contains(": task 4 (user-initiated), task 4 "))
  }
}
