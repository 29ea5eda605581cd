import BenchmarkRecord
import BenchmarkReport
import Foundation

/// Counts what an operation costs, where a noisy machine's times say little:
/// instructions and allocations under callgrind, system calls under perf or,
/// where the kernel does not let it, strace.
struct Counting {
  let sides: Sides
  let subjects: [Listing]
  let date: String
  private let callgrind = Program(named: "valgrind")
  private let strip = Program(named: "strip")
  private let perf = Program(named: "perf")
  private let strace = Program(named: "strace")
  private let scratch: URL
  /// What was stripped, by the path of what it is a copy of.
  private var copies: [String: Program] = [:]

  private(set) var failures: [String] = []

  init(sides: Sides, subjects: [Listing], date: String) throws {
    self.sides = sides
    self.subjects = subjects.filter { $0.countedOperations > 0 }
    self.date = date
    scratch = FileManager.default.temporaryDirectory
      .appendingPathComponent("signalbox-bench-\(ProcessInfo.processInfo.processIdentifier)")
    try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
  }

  mutating func run() -> [CountedSubject] {
    if callgrind == nil || strip == nil {
      note("no instructions and allocations: apt-get install valgrind binutils")
    }
    if perf == nil && strace == nil { note("no system calls: apt-get install strace") }
    return subjects.map { subject in
      Progress.say("counting \(subject.name)")
      return CountedSubject(
        subject: subject.name, signalbox: counts(of: subject, sides.signalbox),
        toolchain: counts(of: subject, sides.toolchain), date: date)
    }
  }

  /// Removes what it wrote beside its results.
  func finish() { try? FileManager.default.removeItem(at: scratch) }

  /// How many instructions an operation takes; `nil`, and a failure more, where they cannot be
  /// counted.
  mutating func instructions(
    of subject: String, operations: Int, _ program: Program
  ) -> Double? {
    guard let bare = strippedCopy(of: program) else { return nil }
    let totals = [1, 2].compactMap { times in
      profile(bare, ["--subject", subject, "--operations", "\(times * operations)"])?.instructions
    }
    guard totals.count == 2 else { return nil }
    return perOperation(single: totals[0], double: totals[1], operations: operations)
  }

  /// The least time of an operation on one processor, in nanoseconds; `nil`, and a failure more, where the program
  /// fails.
  mutating func time(of subject: String, _ program: Program) -> Double? {
    do {
      let text = try program.run(["--subject", subject, "--pin"])
      let records = text.split(separator: "\n").compactMap { Record(String($0)) }
      if let record = records.first, record.unit == "ns" { return record.minimum }
      note("\(program.file.path) prints no time of \(subject)")
    } catch {
      note("\(error)")
    }
    return nil
  }

  private mutating func counts(of subject: Listing, _ program: Program) -> Counts {
    let operations = subject.countedOperations
    let arguments = [1, 2].map { times in
      ["--subject", subject.name, "--operations", "\(times * operations)"]
    }
    func difference(_ values: [Int]) -> Double? {
      guard values.count == 2 else { return nil }
      return perOperation(single: values[0], double: values[1], operations: operations)
    }
    let bare = strippedCopy(of: program)
    let profiles = arguments.compactMap { arguments in bare.flatMap { profile($0, arguments) } }
    return Counts(
      instructions: difference(profiles.map(\.instructions)),
      allocations: difference(profiles.map(\.allocations)),
      systemCalls: difference(arguments.compactMap { systemCalls(program, $0) }))
  }

  /// Debian's valgrind gives up on the debug information that Swift writes.
  private mutating func strippedCopy(of program: Program) -> Program? {
    guard let strip, callgrind != nil else { return nil }
    if let copy = copies[program.file.path] { return copy }
    let name = "\(copies.count)-\(program.file.lastPathComponent)"
    let copy = scratch.appendingPathComponent(name)
    copies[program.file.path] = attempt {
      try strip.run(["--strip-debug", "-o", copy.path, program.file.path])
      return Program(copy)
    }
    return copies[program.file.path]
  }

  private mutating func profile(_ program: Program, _ arguments: [String]) -> CallgrindProfile? {
    guard let callgrind else { return nil }
    let output = scratch.appendingPathComponent("callgrind").path
    return attempt {
      // Fair scheduling: a thread that spins for another must not starve it.
      try callgrind.run(
        ["--tool=callgrind", "--fair-sched=try", "-q", "--callgrind-out-file=\(output)"]
          + [program.file.path] + arguments, quietly: true)
      return CallgrindProfile(try String(contentsOfFile: output, encoding: .utf8))
    }
  }

  private mutating func systemCalls(_ program: Program, _ arguments: [String]) -> Int? {
    let output = scratch.appendingPathComponent("calls").path
    let command = [program.file.path] + arguments
    if let perf {
      let run = try? perf.run(
        ["stat", "-x", ",", "-o", output, "-e", "raw_syscalls:sys_enter", "--"] + command,
        quietly: true)
      if run != nil, let text = try? String(contentsOfFile: output, encoding: .utf8),
        let calls = SystemCallCount.fromPerf(text)
      {
        return calls
      }
    }
    guard let strace else { return nil }
    return attempt {
      try strace.run(["-f", "-qq", "-c", "-o", output] + command)
      return SystemCallCount.fromStrace(try String(contentsOfFile: output, encoding: .utf8))
    }
  }

  private mutating func attempt<Result>(_ body: () throws -> Result?) -> Result? {
    do {
      return try body()
    } catch {
      note("\(error)")
      return nil
    }
  }

  private mutating func note(_ failure: String) {
    failures.append(failure)
    Progress.say(failure)
  }
}
