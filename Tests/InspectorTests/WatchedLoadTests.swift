// WatchedLoadTests — a process under full load is seen rightly in each sample, and an idle one does not notice
// that it is watched.

import CountedFacts
import Glibc
@testable import SignalboxInspector
import SignalboxTestSupport
import Testing

@Suite struct WatchedLoadTests {
  /// What a sample says of the process.
  private struct Seen {
    let runs: [UInt64]
    /// Of all queues, freed ones included; nil if the lists of queues changed too fast.
    let turns: UInt64?
    let total: UInt64?

    init(_ process: Int32) throws {
      let report = try Target.report(of: process)
      // As `top` makes it.
      let sample = report.sample
      runs = try (0..<SharedCount.queues).map { index in
        let queue = try #require(sample.queues.first { $0.label == "counted.\(index)" })
        return try #require(queue.counts).runs
      }
      let inspection = try #require(report.inspections.first)
      var sums = inspection.ended
      for queue in inspection.queues.values {
        if let counts = queue.counts { sums?.add(counts) }
      }
      turns = sums?.turns
      total = sums?.runs
    }
  }

  private func expectGrowth(_ before: UInt64?, _ now: UInt64?, _ what: String) {
    guard let before, let now else { return }
    #expect(now >= before, "\(what)")
  }

  /// `make watch-cost` asks for a thousand. Otherwise a busy machine takes fewer, within the
  /// program's life, which is the same however the limits of the tests are scaled.
  private var samples: (count: Int, limit: Duration) {
    guard let text = getenv("SIGNALBOX_WATCH_SAMPLES"), let count = Int(String(cString: text))
    else {
      return (200, min(RealTime.wedge * 2, .seconds(60)))
    }
    return (count, RealTime.life)
  }

  @Test func eachSampleIsConsistent() throws {
    let folder = try TemporaryFolder()
    try folder.write("counts", "")
    let file = folder.path + "/counts"
    try #require(truncate(file, SharedCount.size) == 0)
    let counts = SharedCounts(file: file)
    let program = try LiveProgram(
      ChildProgram("CountedFacts"), [WatchedScenario.watchedCounted.rawValue, file])
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("ready"))
      var last: Seen?
      var whole = 0
      let (count, limit) = samples
      let deadline = Uptime.now() + limit
      var taken = 0
      for _ in 0..<count where Uptime.now() < deadline {
        taken += 1
        let begun = (0..<SharedCount.queues).map { counts[.begun, $0] }
        let over = counts[.syncsOver]
        let seen = try Seen(program.process)
        for (index, runs) in seen.runs.enumerated() {
          #expect(runs >= begun[index] && runs <= counts[.submitted, index])
          expectGrowth(last?.runs[index], runs, "runs of queue \(index)")
        }
        if let turns = seen.turns {
          #expect(turns >= over && turns <= counts[.syncsBegun])
          whole += 1
        }
        expectGrowth(last?.turns, seen.turns, "turns")
        expectGrowth(last?.total, seen.total, "items of all queues")
        // What is not known this time is compared the next time that it is.
        last = seen.turns == nil ? last : seen
      }
      #expect(whole > 0)
      // Who asks for a number gets that many.
      #expect(taken == count || getenv("SIGNALBOX_WATCH_SAMPLES") == nil, "\(taken)")
      program.send(SIGUSR1)
      try #require(program.waitForFact("over"))
      let end = try Seen(program.process)
      for index in 0..<SharedCount.queues {
        #expect(end.runs[index] == counts[.submitted, index])
        #expect(end.runs[index] == counts[.begun, index])
      }
      #expect(counts[.syncsBegun] == counts[.syncsOver])
      #expect(end.turns == counts[.syncsOver])
      // One more: the item that calls `sync`.
      #expect(end.total == end.runs.reduce(1, +))
    }
  }

  /// What the kernel says of a process.
  private struct Kernel: Equatable {
    /// How often each thread has given up its processor.
    let switches: [Int32: String]
    let descriptors: [String: String]
    let files: Set<String>

    init(_ process: Int32) throws {
      let folder = "/proc/\(process)"
      switches = try Dictionary(
        uniqueKeysWithValues: Kernel.entries("\(folder)/task").map { name in
          // A thread that ends meanwhile has no such file, and its process is not idle.
          let status =
            (try? Kernel.text("\(folder)/task/\(name)/status")) ?? "voluntary_ctxt_switches: gone"
          let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches") }
          return (try #require(Int32(name)), String(try #require(line)))
        })
      let numbers = try Kernel.entries("\(folder)/fd")
      descriptors = Dictionary(
        uniqueKeysWithValues: numbers.map { ($0, Kernel.link("\(folder)/fd/\($0)")) })
      let maps = try Kernel.text("\(folder)/maps")
      files = Set(maps.split(separator: "\n").map { String($0.split(separator: " ").last ?? "") })
    }

    private static func entries(_ path: String) throws -> [String] {
      let folder = try #require(opendir(path))
      defer { closedir(folder) }
      var names: [String] = []
      while let entry = readdir(folder) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
          String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if !name.hasPrefix(".") { names.append(name) }
      }
      return names
    }

    private static func text(_ path: String) throws -> String {
      let file = open(path, O_RDONLY | O_CLOEXEC)
      try #require(file >= 0)
      defer { close(file) }
      var bytes: [UInt8] = []
      var piece = [UInt8](repeating: 0, count: 65536)
      while true {
        let count = read(file, &piece, piece.count)
        if count <= 0 { return String(decoding: bytes, as: UTF8.self) }
        bytes += piece[..<count]
      }
    }

    private static func link(_ path: String) -> String {
      var target = [UInt8](repeating: 0, count: 4096)
      let count = readlink(path, &target, target.count)
      return String(decoding: target.prefix(max(0, count)), as: UTF8.self)
    }
  }

  /// Looks at the process as the commands do.
  private func watch(_ process: Int32) throws {
    for words in [["report", "\(process)"], ["metrics", "\(process)"]] {
      #expect(try ChildProgram("signalbox").run(words).exit == .code(0))
    }
    let top = try PseudoTerminal(["top", "\(process)"])
    try top.wait("a second sample") { screen in
      screen.lines.contains { $0.hasSuffix(" watched.idle") && !$0.contains(" - ") }
    }
    top.type("q")
    #expect(try top.waitForEnd() == .code(0))
  }

  /// A worker without work gives up after a while and ends. So look for a span in which nothing happens by
  /// itself; if being watched woke the process, there would be none.
  @Test func anIdleProcessDoesNotNoticeThatItIsWatched() throws {
    let program = try LiveProgram(WatchedScenario.watchedIdle)
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("ready"))
      let process = program.process
      var attempts: [(Kernel, Kernel)] = []
      repeat {
        let before = try Kernel(process)
        try watch(process)
        attempts.append((before, try Kernel(process)))
      } while attempts.last.map { $0.0 != $0.1 } == true && attempts.count < 20
      let (before, after) = try #require(attempts.last)
      #expect(before.switches == after.switches)
      #expect(before.descriptors == after.descriptors)
      #expect(before.files == after.files)
      // Apart from that: nothing that was there at first was replaced by something of the same number.
      #expect(Set(after.switches.keys).isSubset(of: attempts[0].0.switches.keys))
    }
  }
}
