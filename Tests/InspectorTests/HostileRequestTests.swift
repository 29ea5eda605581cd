// HostileRequestTests — a process that is asked for a recording and answers anything: the tool ends with a
// recording or a sentence, and reads no more than it asked for.

import Glibc
import SignalboxTestSupport
import Testing

@testable import SignalboxInspector

/// Memory that answers a request as a test wants.
private final class AnsweringMemory: WritableMemory {
  static let record: UInt64 = 0x1000
  static let asked: UInt64 = 0x2000
  static let table: UInt64 = 0x8000
  static let names = [
    "number", "duration", "memory", "process", "order", "pulse", "server", "served", "phase",
    "refusal", "error", "copy", "copy_size",
  ]

  private var words: [String: UInt64] = [:]
  private var askedByte: UInt64 = 0
  private(set) var bytesRead = 0
  private(set) var orders: [UInt64] = []
  /// Called at each look of the tool, after it has asked.
  var answer: (AnsweringMemory) -> Void = { _ in }
  /// The recording.
  var image: (address: UInt64, bytes: [UInt8]) = (0, [])
  private let tableBytes: [UInt8]

  init() {
    var bytes = [UInt8](repeating: 0, count: 32)
    func put(_ value: UInt64, at offset: Int, size: Int) {
      for index in 0..<size {
        bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * UInt64(index)))
      }
    }
    for (index, byte) in (Array("SBOUTSD".utf8) + [0x1A]).enumerated() { bytes[index] = byte }
    let entries =
      AnsweringMemory.names.enumerated().map {
        ("request", $1, UInt64(1), UInt64($0 * 8), UInt64($1 == "order" || $1 == "pulse" ? 1 : 8))
      } + [
        ("request", "root", 4, AnsweringMemory.record, 1),
        ("asked", "root", 4, AnsweringMemory.asked, 1),
      ]
    put(1, at: 8, size: 4)
    put(64, at: 12, size: 4)
    put(UInt64(entries.count), at: 16, size: 4)
    put(UInt64(entries.count), at: 20, size: 4)
    put(AnsweringMemory.table, at: 24, size: 8)
    for (structure, name, kind, value, size) in entries {
      let start = bytes.count
      bytes += [UInt8](repeating: 0, count: 64)
      for (index, byte) in structure.utf8.enumerated() { bytes[start + index] = byte }
      for (index, byte) in name.utf8.enumerated() { bytes[start + 16 + index] = byte }
      put(value, at: start + 48, size: 8)
      put(size, at: start + 56, size: 4)
      put(kind, at: start + 60, size: 4)
    }
    tableBytes = bytes
  }

  subscript(_ name: String) -> UInt64 {
    get { words[name] ?? 0 }
    set { words[name] = newValue }
  }

  /// Takes the request.
  func take() {
    guard askedByte != 0 else { return }
    askedByte = 0
    self["server"] = self["process"]
    self["served"] = self["number"]
  }

  func copy(from address: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
    bytesRead += buffer.count
    if address == AnsweringMemory.asked {
      answer(self)
      buffer[0] = UInt8(askedByte)
      return 0
    }
    let field = Int(clamping: address &- AnsweringMemory.record) / 8
    if address >= AnsweringMemory.record, field < AnsweringMemory.names.count, buffer.count <= 8 {
      answer(self)
      let word = words[AnsweringMemory.names[field]] ?? 0
      withUnsafeBytes(of: word) { buffer.copyBytes(from: $0[..<buffer.count]) }
      return 0
    }
    for (start, bytes) in [(AnsweringMemory.table, tableBytes), (image.address, image.bytes)] {
      let offset = address &- start
      guard address >= start, offset <= UInt64(bytes.count),
        buffer.count <= bytes.count - Int(offset)
      else { continue }
      buffer.copyBytes(from: bytes[Int(offset)..<Int(offset) + buffer.count])
      return 0
    }
    return EFAULT
  }

  func write(_ bytes: [UInt8], at address: UInt64) -> Int32 {
    let value = bytes.reversed().reduce(0) { UInt64($0) << 8 | UInt64($1) }
    if address == AnsweringMemory.asked {
      askedByte = value
      return 0
    }
    let field = Int(clamping: address &- AnsweringMemory.record) / 8
    guard address >= AnsweringMemory.record, field < AnsweringMemory.names.count else {
      return EFAULT
    }
    let name = AnsweringMemory.names[field]
    words[name] = value
    if name == "order" { orders.append(value) }
    return 0
  }
}

@Suite struct HostileRequestTests {
  private static let process: UInt64 = 77

  /// What the tool takes, or the sentence with which it ends.
  private func outcome(
    _ memory: AnsweringMemory, interruptedAt: Int = .max, isSame: @escaping () -> Bool = { true }
  ) throws -> Result<[UInt8], InspectionRefusal> {
    let table = try EngineTable(at: AnsweringMemory.table, in: TargetMemory(memory))
    let subject = RecordingRequest.Subject(
      process: 77, inner: HostileRequestTests.process, title: "process 77", isSame: isSame)
    let wish = RecordingRequest.Wish(duration: 1_000_000_000, memory: 1 << 20)
    let request = try #require(RecordingRequest(subject, table, memory, wish))
    // A clock that the pauses move, so that no test waits.
    var now: UInt64 = 0
    var pauses = 0
    var here = RecordingRequest.Surroundings()
    here.now = { now }
    here.pause = {
      now += UInt64($0) * 1_000_000
      pauses += 1
    }
    here.isInterrupted = { pauses >= interruptedAt }
    var taken: [UInt8] = []
    do throws(InspectionRefusal) {
      try request.carryOut(here, hasBegun: {}) {
        taken += $0
        return 0
      }
    } catch {
      return .failure(error)
    }
    return .success(taken)
  }

  private func sentence(_ memory: AnsweringMemory) throws -> String {
    if case .failure(let refusal) = try outcome(memory) { return refusal.text }
    return ""
  }

  /// A process that does what it should; its recording has so many bytes.
  private func honest(_ count: Int) -> AnsweringMemory {
    let memory = AnsweringMemory()
    memory.image = (0x100_0000, (0..<count).map { UInt8(truncatingIfNeeded: $0 / 7) })
    var looks = 0
    memory.answer = { memory in
      looks += 1
      if looks == 5 {
        memory.take()
        memory["phase"] = 1
      }
      if looks == 20 { memory["phase"] = 2 }
      if looks == 40 || memory["order"] == 1 && memory["phase"] == 2 {
        memory["copy"] = memory.image.address
        memory["copy_size"] = UInt64(count)
        memory["phase"] = 3
      }
    }
    return memory
  }

  @Test(arguments: [1, 4096, 1 << 20, (1 << 20) + 1, 3 << 20])
  func theCopyIsReadWholeAndFreed(_ count: Int) throws {
    let memory = honest(count)
    #expect(try outcome(memory).get() == memory.image.bytes)
    #expect(memory.orders.last == 2)
  }

  @Test func anInterruptOrdersTheEnd() throws {
    let memory = honest(100)
    #expect(try outcome(memory, interruptedAt: 4).get().count == 100)
    #expect(memory.orders.contains(1))
  }

  @Test func aProcessThatNeverTakesTheRequestIsLeftAlone() throws {
    let memory = AnsweringMemory()
    #expect(try sentence(memory).contains("did nothing with Signalbox"))
    var byte: UInt8 = 1
    withUnsafeMutableBytes(of: &byte) { _ = memory.copy(from: AnsweringMemory.asked, into: $0) }
    #expect(byte == 0)
  }

  @Test func aWithdrawalOfAnotherToolIsRepaired() throws {
    let memory = honest(10)
    let answer = memory.answer
    var isFirst = true
    memory.answer = { memory in
      if isFirst, memory["number"] != 0 {
        isFirst = false
        _ = memory.write([0], at: AnsweringMemory.asked)
        return
      }
      answer(memory)
    }
    // The answer at the fifth look finds no request, unless the tool has asked again before.
    #expect(try outcome(memory).get().count == 10)
  }

  @Test func aProcessThatIsStoppedIsGivenUp() throws {
    for phase in 0...2 {
      let memory = AnsweringMemory()
      memory.answer = { memory in
        memory.take()
        memory["phase"] = UInt64(phase)
      }
      #expect(try sentence(memory).contains("does not go on"))
    }
  }

  @Test func whatCannotBeRightIsRefused() throws {
    let wrong: [(phase: UInt64, copy: UInt64, size: UInt64, words: String)] = [
      (3, 0, 100, "cannot be right"), (3, 0x100_0000, 0, "cannot be right"),
      (3, 0x100_0000, .max, "cannot be right"), (3, 0x100_0000, 1 << 40, "cannot be right"),
      (3, .max - 10, 100, "cannot be read"), (3, 0x666, 100, "cannot be read"),
      (9, 0, 0, "not known here"), (.max, 0, 0, "not known here"), (5, 0, 0, "did not hear"),
    ]
    for (phase, copy, size, words) in wrong {
      let memory = AnsweringMemory()
      memory.answer = { memory in
        memory.take()
        memory["copy"] = copy
        memory["copy_size"] = size
        memory["phase"] = phase
      }
      #expect(try sentence(memory).contains(words), "\(phase) \(copy) \(size)")
      #expect(memory.bytesRead < 1 << 20)
    }
  }

  @Test func eachRefusalHasItsSentence() throws {
    let sentences: [(UInt64, String)] = [
      (1, "records itself"), (2, "no memory"), (3, "no thread"), (4, "without the module"),
      (0, "not known here"), (.max, "not known here"),
    ]
    for (refusal, words) in sentences {
      let memory = AnsweringMemory()
      memory.answer = { memory in
        memory.take()
        memory["error"] = .max
        memory["refusal"] = refusal
        memory["phase"] = 4
      }
      #expect(try sentence(memory).contains(words), "\(refusal)")
    }
  }

  @Test func nothingIsWrittenToAnotherProgram() throws {
    let memory = honest(10)
    let before = memory.orders.count
    guard case .failure(let refusal) = try outcome(memory, isSame: { false }) else {
      Issue.record("taken")
      return
    }
    #expect(refusal.kind == .gone && memory.orders.count == before && memory["number"] == 0)
  }

  @Test(arguments: 0..<2000)
  func randomAnswersEndWithASentenceOrARecording(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let memory = AnsweringMemory()
    memory.image = (0x100_0000, [UInt8](repeating: 1, count: 4096))
    let values: [UInt64] = [0, 1, 2, 3, 4, 5, 77, 4096, 0x100_0000, .max, 1 << 63]
    memory.answer = { memory in
      if random.next() % 4 == 0 { memory.take() }
      let name = ["server", "served", "phase", "refusal", "error", "copy", "copy_size"]
        .randomElement(using: &random)!
      // Mostly it goes on serving.
      if name != "served" || random.next() % 8 == 0 {
        memory[name] = values.randomElement(using: &random)!
      }
    }
    _ = try outcome(memory)
    #expect(memory.bytesRead < 64 << 20)
  }
}
