// StackTests — stacks of memory and files that a test makes or damages.

import Glibc
import SignalboxTestSupport
import Testing

@testable import SignalboxInspector

@Suite struct StackTests {
  // MARK: Rules

  private func rules(_ own: [UInt8], at distance: UInt64) -> FrameRules? {
    // The frame is 8 bytes above the stack register, and the return address is right below it.
    let initial: [UInt8] = [0x0C, 7, 8, 0x90, 1]
    return FrameRules(
      initial: ByteReader(initial), ByteReader(own), factors: (1, -8), distance: distance)
  }

  /// `push %rbp; mov %rsp, %rbp; …; pop %rbp; ret`
  @Test func theRulesFollowAFunction() throws {
    let function: [UInt8] = [0x41, 0x0E, 16, 0x86, 2, 0x43, 0x0D, 6, 0x02, 40, 0x0C, 7, 8, 0xC6]
    let entry = try #require(rules(function, at: 0))
    #expect(entry.register == 7 && entry.distance == 8 && entry.returnAddress == -8)
    #expect(entry.savedFrame == nil)
    let pushed = try #require(rules(function, at: 1))
    #expect(pushed.register == 7 && pushed.distance == 16 && pushed.savedFrame == -16)
    for place in [4, 43] as [UInt64] {
      let body = try #require(rules(function, at: place))
      #expect(body.register == 6 && body.distance == 16 && body.savedFrame == -16, "\(place)")
    }
    let end = try #require(rules(function, at: 44))
    #expect(end.register == 7 && end.distance == 8 && end.savedFrame == nil)
  }

  @Test func aRowThatWasKeptComesBack() throws {
    let function: [UInt8] = [0x0A, 0x41, 0x0E, 64, 0x41, 0x0B]
    #expect(try #require(rules(function, at: 1)).distance == 64)
    #expect(try #require(rules(function, at: 2)).distance == 8)
  }

  @Test func whatIsNotKnownEndsAStack() {
    // An expression; the frame register undefined; a row that was not kept; numbers that are cut.
    for function in [[0x0F, 1, 0], [0x07, 6], [0x0B], [0x0E], [0x0E, 0x80], [0x05, 1], [0x3F]] {
      #expect(rules(function.map { UInt8($0) }, at: 0) == nil, "\(function)")
    }
    // The outermost function has no return address.
    #expect(rules([0x07, 16], at: 0)?.returnAddress == .some(nil))
  }

  @Test func numbersOfAnyLengthAreRead() {
    var one = ByteReader([0xE5, 0x8E, 0x26])
    #expect(one.unsigned() == 624_485)
    for (bytes, value) in [([0x78], -8), ([0x80, 0x7F], -128), ([0x3F], 63), ([0xFF, 0x00], 127)] {
      var reader = ByteReader(bytes.map { UInt8($0) })
      #expect(reader.signed() == Int64(value))
    }
    var long = ByteReader([UInt8](repeating: 0xFF, count: 100) + [1])
    #expect(long.unsigned() == .max && long.number(1) == nil)
  }

  // MARK: Damage

  /// This process's own memory, of which some bytes are read wrongly.
  private final class DamagedMemory: MemorySource {
    let memory = ProcessMemory(of: getpid())
    var random: SeededGenerator
    /// One of so many readings is damaged.
    var rate: UInt64 = 4

    init(_ random: SeededGenerator) { self.random = random }

    func copy(from address: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
      let error = memory.copy(from: address, into: buffer)
      if error == 0, random.next() % rate == 0 {
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          let index = Int.random(in: 0..<buffer.count, using: &random)
          buffer[index] = UInt8.random(in: 0...255, using: &random)
        }
      }
      return error
    }
  }

  @Test func damagedStacksAndTablesEnd() throws {
    let maps = String(decoding: try ProcessFile.read("/proc/self/maps").get(), as: UTF8.self)
    var random = SeededGenerator.announced()
    let names: [String] = ["pause", "poll", "qsort", "pthread_create", "swift_retain", "malloc"]
    let functions = names.compactMap { name in
      dlsym(nil, name).map { UInt64(UInt(bitPattern: $0)) }
    }
    try #require(!functions.isEmpty)
    var deepest = 0
    try withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 4096) { stack in
      for index in stack.indices {
        let function = try #require(functions.randomElement(using: &random))
        stack[index] =
          random.next() % 3 == 0
          ? UInt64(UInt(bitPattern: stack.baseAddress)) + random.next() % 32768 & ~7
          : function + random.next() % 64
      }
      for _ in 0..<200 {
        let memory = TargetMemory(DamagedMemory(SeededGenerator(seed: random.next())))
        let code = CodeFiles(MappedFiles.parts(maps), memory)
        let walker = StackWalker(code, memory)
        let place = UInt64(UInt(bitPattern: stack.baseAddress)) + random.next() % 8192 & ~7
        let registers = StackRegisters(
          instruction: try #require(functions.randomElement(using: &random)) + random.next() % 64,
          stack: place, frame: random.next() % 2 == 0 ? nil : place + random.next() % 4096 & ~7)
        let addresses = walker.walk(registers)
        #expect(addresses.count <= Limits.frames && !addresses.isEmpty)
        deepest = max(deepest, addresses.count)
        for frame in StackNames([addresses], code, open: { _ in nil }).frames(addresses) {
          #expect(!frame.words.isEmpty)
        }
      }
    }
    // The damage does not end every stack at once.
    #expect(deepest > 1)
  }

  @Test func damagedSymbolsAreRead() throws {
    var random = SeededGenerator.announced()
    let folder = try TemporaryFolder()
    let original = try ProcessFile.read("/bin/true").get()
    let sections = Int(TargetMemory.number(original, at: 40, size: 8))
    let path = "\(folder.path)/file"
    for _ in 0..<200 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let place = [
          Int.random(in: 0..<64, using: &random),
          Int.random(in: min(sections, bytes.count - 1)..<bytes.count, using: &random),
          Int.random(in: 0..<4096, using: &random),
        ].randomElement(using: &random)
        bytes[try #require(place)] = UInt8.random(in: 0...255, using: &random)
      }
      try CoreWriter.write(bytes, to: path)
      let file = try FileBytes(path)
      let names = ELFSections(file).flatMap { FunctionNames(file, $0) }
      let symbols = names?.symbols(of: [0, 1, 0x2000, 0x3000, .max, UInt64.max - 1]) ?? [:]
      #expect(symbols.count <= 6)
    }
  }

  @Test func noNumberOfASectionIsTrusted() throws {
    let folder = try TemporaryFolder()
    let original = try ProcessFile.read("/bin/true").get()
    let sections = Int(TargetMemory.number(original, at: 40, size: 8))
    let count = Int(TargetMemory.number(original, at: 60, size: 2))
    for section in 0..<count {
      // The offset, the size and the link.
      for (field, size) in [(24, 8), (32, 8), (40, 4)] {
        for number in [0x7FFF_FFFF, .max, 1 << 40] as [UInt64] {
          var bytes = original
          for index in 0..<size {
            bytes[sections + section * 64 + field + index] = UInt8(
              truncatingIfNeeded: number >> (8 * index))
          }
          try CoreWriter.write(bytes, to: "\(folder.path)/file")
          let file = try FileBytes("\(folder.path)/file")
          let names = ELFSections(file).flatMap { FunctionNames(file, $0) }
          #expect((names?.symbols(of: [0x2000]) ?? [:]).count <= 1)
        }
      }
    }
  }

  @Test func aNameIsShownWithoutTheMarksOfItsFileAndCut() {
    let mangled = "$s4main1f33_5A8E0AD6A2AC9B6D0BC6C0E0F1F5A0F9LLyyF"
    let words = FunctionNames.words(for: mangled)
    #expect(words == "main.f() -> ()", "\(words)")
    #expect(FunctionNames.words(for: "a_function") == "a_function")
    #expect(FunctionNames.words(for: "a\u{1B}[2J") == "a\\u{1B}[2J")
    let long = FunctionNames.words(for: String(repeating: "x", count: 5000))
    #expect(long.hasSuffix("x…") && long.utf8.count < 300)
  }
}
