// FuzzedProcessTests — the memory of real processes, with some of its words replaced at random. Whatever a
// reader makes of it, it ends within its limits, and what it prints is text in its format.

import CountedFacts
import Glibc
import SignalboxTestSupport
import Testing

@testable import SignalboxInspector

@Suite struct FuzzedProcessTests {
  /// Programs that together have all that is read: waits and their holders, items, timers, descriptors,
  /// operations, times.
  static let programs: [any CountedScenario] = [
    HungScenario.hungTwoQueues, HungScenario.hungReaders, HungScenario.hungOperationQueue,
    HungScenario.hungBehindABarrier, WatchedScenario.watchedLabels, WatchedScenario.watchedTimers,
  ]

  /// `make fuzz` asks for minutes, which the programs share.
  private static let minutes = getenv("SIGNALBOX_FUZZ_MINUTES").flatMap {
    Double(String(cString: $0))
  }

  @Test(arguments: programs.indices) func aDamagedProcessIsRead(_ index: Int) throws {
    let scenario = FuzzedProcessTests.programs[index]
    var random = SeededGenerator.announced()
    let program = try LiveProgram(scenario, environment: ["SIGNALBOX_METRICS": "times"])
    try withExtendedLifetime(program) {
      try #require(program.waitForFact(scenario is HungScenario ? "hangs" : "ready"))
      let maps = try #require(ProcessFile.text("/proc/\(program.process)/maps"))
      let intact = EngineFinder(TargetMemory(ProcessMemory(of: program.process))).find(in: maps)
      var rounds = 0, found = 0
      let limit = FuzzedProcessTests.minutes.map {
        Uptime.now() + .seconds($0 * 60 / Double(FuzzedProcessTests.programs.count))
      }
      while limit.map({ Uptime.now() < $0 }) ?? (rounds < 60) {
        // From one word in four to one in 4,000.
        let distance = UInt64(4) << UInt64.random(in: 0...10, using: &random)
        let memory = DamagedMemory(program.process, random.next(), distance)
        // Half of the processes have files and a table that say the truth.
        let engines =
          random.next() % 2 == 0
          ? intact.engines : EngineFinder(TargetMemory(memory)).find(in: maps).engines
        if let seen = Fuzzed(program.process, engines, memory) {
          found += 1
          try seen.check()
        }
        #expect(memory.readings <= 2 * Limits.readings)
        rounds += 1
      }
      #expect(found > rounds / 4, "\(found) of \(rounds)")
      StandardError.print("\(scenario.rawValue): \(rounds) damaged images, an engine in \(found)")
    }
  }
}

/// What is read of a damaged process; nil if no engine is found in it.
private struct Fuzzed {
  let report: TargetReport

  init?(_ process: pid_t, _ engines: [EngineFinder.Engine], _ memory: DamagedMemory) {
    let threads = KernelThread.all(of: process)
    let inspections = engines.compactMap {
      Inspection($0, TargetMemory(memory), existing: Set(threads.map(\.kernelID)))
    }
    if inspections.isEmpty { return nil }
    report = TargetReport(
      process: process, name: "damaged", uptime: 1 << 50, kernelThreads: threads,
      inspections: inspections)
  }

  func check() throws {
    try check(report.text)
    _ = try StrictJSON(report.json)
    var metrics = ExpositionText()
    report.add(to: &metrics)
    _ = try Exposition(metrics.text)
    var view = TopView()
    let sample = report.sample
    for line in TopScreen.lines(
      sample, before: sample, isOver: false, &view, columns: 80, rows: 200)
    {
      try check(line.text)
    }
  }

  private func check(_ text: String) throws {
    let control = text.unicodeScalars.first {
      $0 != "\n"
        && ($0.properties.generalCategory == .control || $0.properties.generalCategory == .format)
    }
    #expect(control == nil)
  }
}

/// The memory of a process in which about one in `distance` words has another value. Which words and values
/// depends on their addresses and the key alone, so reading twice gives the same.
private final class DamagedMemory: MemorySource {
  private let memory: ProcessMemory
  private let key: UInt64
  private let distance: UInt64
  private(set) var readings = 0

  init(_ process: pid_t, _ key: UInt64, _ distance: UInt64) {
    memory = ProcessMemory(of: process)
    self.key = key
    self.distance = distance
  }

  func copy(from address: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
    readings += 1
    let error = memory.copy(from: address, into: buffer)
    guard error == 0 else { return error }
    var place = address & ~7
    while place < address + UInt64(buffer.count) {
      if let value = replacement(of: place) {
        for index in 0..<UInt64(8) where place + index >= address {
          let offset = Int(place + index - address)
          if offset < buffer.count {
            buffer[offset] = UInt8(truncatingIfNeeded: value >> (8 * index))
          }
        }
      }
      place += 8
    }
    return 0
  }

  private func replacement(of place: UInt64) -> UInt64? {
    var random = SeededGenerator(seed: key ^ place)
    guard random.next() % distance == 0 else { return nil }
    var original: UInt64 = 0
    _ = withUnsafeMutableBytes(of: &original) { memory.copy(from: place, into: $0) }
    switch random.next() % 6 {
    case 0: return random.next()
    case 1: return random.next() % 17
    case 2: return original ^ 1 << (random.next() % 64)
    // Itself, and its neighbours: lists that end in circles.
    case 3: return place &+ random.next() % 32 * 8 &- 128
    // Two 32-bit numbers, as counts and flags are.
    case 4: return random.next() % 3 << 32 | random.next() % 0xFFFF
    default: return .max << (random.next() % 64)
    }
  }
}
