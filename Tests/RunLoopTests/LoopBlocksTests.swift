// LoopBlocksTests — the list of blocks, compared with the simplest equivalent.

import SignalboxTestSupport
import Testing

@testable import SignalboxRunLoop

@Suite struct LoopBlocksTests {
  private static let modes = [CFRunLoopMode("a"), CFRunLoopMode("b"), .defaultMode]

  /// The equivalent is an array from which the first matching block is taken.
  @Test(arguments: 0..<20) func takesTheSameBlocksAsAPlainList(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var blocks = LoopBlocks()
    var plain: [(number: Int, mode: CFRunLoopMode)] = []
    let taken = EventLog<Int>()
    var made = 0
    for _ in 0..<300 {
      var coming: [LoopBlocks.Entry] = []
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        let number = made
        let mode = (Self.modes + [.commonModes]).randomElement(using: &random)!
        coming.append(LoopBlocks.Entry(modes: .one(mode)) { taken.append(number) })
        plain.append((number, mode))
        made += 1
      }
      let end = blocks.append(coming)
      #expect(end == made)
      let mode = Self.modes.randomElement(using: &random)!
      let isCommon = mode == .defaultMode
      func fits(_ other: CFRunLoopMode) -> Bool {
        other == mode || isCommon && other == .commonModes
      }
      #expect(blocks.hasAny(for: mode, isCommon: isCommon) == plain.contains { fits($0.mode) })
      var next = 0
      // Sometimes takes only some of them.
      for _ in 0..<Int.random(in: 0...10, using: &random) {
        guard let block = blocks.take(from: &next, below: end, mode, isCommon: isCommon) else {
          #expect(!plain.contains { fits($0.mode) })
          break
        }
        block()
        let index = try #require(plain.firstIndex { fits($0.mode) })
        #expect(taken.all.last == plain.remove(at: index).number)
      }
      #expect(blocks.isEmpty == plain.isEmpty)
    }
  }

  @Test func blocksThatWaitForAnotherModeLetThousandsPass() throws {
    var blocks = LoopBlocks()
    var ran = 0
    _ = blocks.append([LoopBlocks.Entry(modes: .one(Self.modes[1])) { ran += 1000 }])
    for round in 1...3000 {
      let end = blocks.append([LoopBlocks.Entry(modes: .one(Self.modes[0])) { ran += 1 }])
      var next = 0
      let block = blocks.take(from: &next, below: end, Self.modes[0], isCommon: false)
      try #require(block != nil)
      block?()
      #expect(ran == round)
    }
    #expect(blocks.hasAny(for: Self.modes[1], isCommon: false))
    #expect(!blocks.hasAny(for: Self.modes[0], isCommon: false))
  }
}
