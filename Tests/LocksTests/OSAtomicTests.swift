// OSAtomicTests — what each OSAtomic function returns and leaves behind, including the document's
// results. Every function exists with and without a barrier, and both do the same.

import Glibc
import SignalboxLocks
import SignalboxTestSupport
import Testing

@Suite(.guarded) struct OSAtomicTests {
  private typealias Unary<T> = @Sendable (UnsafeMutablePointer<T>) -> T
  private typealias Binary<T> = @Sendable (T, UnsafeMutablePointer<T>) -> T
  private typealias Masking = @Sendable (UInt32, UnsafeMutablePointer<UInt32>) -> Int32
  private typealias Swap<T> = @Sendable (T, T, UnsafeMutablePointer<T>) -> Bool
  private typealias Bit = @Sendable (UInt32, UnsafeMutableRawPointer) -> Bool

  // MARK: Sums

  /// The document's example: 10 plus twice 20 is 50.
  @Test func addingReturnsTheSum() {
    var number: Int64 = 10
    #expect(OSAtomicAdd64(20, &number) == 30)
    #expect(OSAtomicAdd64Barrier(20, &number) == 50)
    #expect(number == 50)
    var small: Int32 = 10
    #expect(OSAtomicAdd32(20, &small) == 30)
    #expect(OSAtomicAdd32Barrier(20, &small) == 50)
    #expect(small == 50)
  }

  /// The document's example: 10 plus twice one is 12; 10 minus twice one is 8.
  @Test func incrementingReturnsTheNewNumber() {
    var up: Int64 = 10
    #expect(OSAtomicIncrement64(&up) == 11)
    #expect(OSAtomicIncrement64Barrier(&up) == 12)
    #expect(up == 12)
    var down: Int64 = 10
    #expect(OSAtomicDecrement64(&down) == 9)
    #expect(OSAtomicDecrement64Barrier(&down) == 8)
    #expect(down == 8)
    var small: Int32 = 10
    #expect(OSAtomicIncrement32(&small) == 11)
    #expect(OSAtomicIncrement32Barrier(&small) == 12)
    #expect(OSAtomicDecrement32(&small) == 11)
    #expect(OSAtomicDecrement32Barrier(&small) == 10)
    #expect(small == 10)
  }

  @Test func sumsWrapAround() {
    for add: Binary<Int32> in [OSAtomicAdd32, OSAtomicAdd32Barrier] {
      var number = Int32.max
      #expect(add(1, &number) == .min)
      #expect(add(-1, &number) == .max)
    }
    for add: Binary<Int64> in [OSAtomicAdd64, OSAtomicAdd64Barrier] {
      var number = Int64.max
      #expect(add(1, &number) == .min)
      #expect(add(-1, &number) == .max)
    }
    for count: Unary<Int32> in [OSAtomicIncrement32, OSAtomicIncrement32Barrier] {
      var number = Int32.max
      #expect(count(&number) == .min)
    }
    for count: Unary<Int64> in [OSAtomicDecrement64, OSAtomicDecrement64Barrier] {
      var number = Int64.min
      #expect(count(&number) == .max)
    }
  }

  // MARK: Logic

  /// Covers every pair of bits in a word and its mask, including the highest bit.
  @Test func logicReturnsTheNewOrTheOldWord() {
    let word: UInt32 = 0x8000_0003
    let mask: UInt32 = 0x8000_0005
    let all: [(new: [Masking], old: [Masking], result: UInt32)] = [
      (
        [OSAtomicOr32, OSAtomicOr32Barrier], [OSAtomicOr32Orig, OSAtomicOr32OrigBarrier],
        0x8000_0007
      ),
      (
        [OSAtomicAnd32, OSAtomicAnd32Barrier], [OSAtomicAnd32Orig, OSAtomicAnd32OrigBarrier],
        0x8000_0001
      ),
      (
        [OSAtomicXor32, OSAtomicXor32Barrier], [OSAtomicXor32Orig, OSAtomicXor32OrigBarrier],
        0x0000_0006
      ),
    ]
    for (new, old, result) in all {
      for function in new {
        var bits = word
        #expect(function(mask, &bits) == Int32(bitPattern: result))
        #expect(bits == result)
      }
      for function in old {
        var bits = word
        #expect(function(mask, &bits) == Int32(bitPattern: word))
        #expect(bits == result)
      }
    }
  }

  // MARK: Comparing

  /// The document's example: 10 becomes 20 if 10 is expected, and stays if 11 is expected.
  @Test func compareAndSwapReplacesTheExpectedValue() {
    func check<T: BinaryInteger>(_ swap: Swap<T>) {
      var number: T = 10
      #expect(swap(10, 20, &number))
      #expect(number == 20)
      number = 10
      #expect(!swap(11, 20, &number))
      #expect(number == 10)
    }
    check(OSAtomicCompareAndSwap32)
    check(OSAtomicCompareAndSwap32Barrier)
    check(OSAtomicCompareAndSwap64)
    check(OSAtomicCompareAndSwap64Barrier)
    check(OSAtomicCompareAndSwapInt)
    check(OSAtomicCompareAndSwapIntBarrier)
    check(OSAtomicCompareAndSwapLong)
    check(OSAtomicCompareAndSwapLongBarrier)
  }

  @Test func allBitsOfANumberAreCompared() {
    for bit in 0..<64 {
      var number = Int64(1) << bit
      #expect(!OSAtomicCompareAndSwap64(0, 7, &number))
      #expect(OSAtomicCompareAndSwap64Barrier(Int64(1) << bit, 7, &number))
      var word = Int(1) << bit
      #expect(!OSAtomicCompareAndSwapLongBarrier(0, 7, &word))
      #expect(OSAtomicCompareAndSwapLong(Int(1) << bit, 7, &word))
    }
  }

  @Test func pointersAreSwappedNilAmongThem() {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 2, alignment: 1)
    defer { memory.deallocate() }
    for swap in [OSAtomicCompareAndSwapPtr, OSAtomicCompareAndSwapPtrBarrier] {
      var pointer: UnsafeMutableRawPointer?
      #expect(!swap(memory, memory + 1, &pointer))
      #expect(pointer == nil)
      #expect(swap(nil, memory, &pointer))
      #expect(swap(memory, memory + 1, &pointer))
      #expect(pointer == memory + 1)
      #expect(swap(memory + 1, nil, &pointer))
      #expect(pointer == nil)
    }
  }

  // MARK: Bits

  /// Bit n is `0x80 >> (n & 7)` of byte `n >> 3`, at any alignment. No other bit changes.
  @Test func bitsAreCountedFromTheHighestOfTheFirstByte() {
    let size = 11
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: size + 2, alignment: 8)
    defer { memory.deallocate() }
    for fill in [UInt8(0), 0xFF] {
      for start in 0...2 {
        for n in 0..<UInt32(size * 8) {
          let byte = start + Int(n) / 8
          let bit = UInt8(1) << (7 - UInt8(n) % 8)
          for set: Bit in [OSAtomicTestAndSet, OSAtomicTestAndSetBarrier] {
            memory.copyBytes(from: [UInt8](repeating: fill, count: size + 2))
            #expect(set(n, memory.baseAddress! + start) == (fill != 0))
            #expect(set(n, memory.baseAddress! + start))
            for (index, found) in memory.enumerated() {
              #expect(found == (index == byte ? fill | bit : fill), "bit \(n), byte \(index)")
            }
          }
          for clear: Bit in [OSAtomicTestAndClear, OSAtomicTestAndClearBarrier] {
            memory.copyBytes(from: [UInt8](repeating: fill, count: size + 2))
            #expect(clear(n, memory.baseAddress! + start) == (fill != 0))
            #expect(!clear(n, memory.baseAddress! + start))
            for (index, found) in memory.enumerated() {
              #expect(found == (index == byte ? fill & ~bit : fill), "bit \(n), byte \(index)")
            }
          }
        }
      }
    }
  }

  @Test func theFirstByteOfADocumentedExample() {
    var byte: UInt8 = 0
    #expect(!OSAtomicTestAndSet(1, &byte))
    #expect(byte == 0x40)
    #expect(OSAtomicTestAndClear(1, &byte))
    #expect(byte == 0)
  }

  // MARK: Barriers

  /// A plain write before a barrier form is visible after one that finds its value.
  @Test func aBarrierHandsOverPlainMemory() throws {
    let rounds = 300
    let flag = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
    flag.initialize(to: 0)
    defer { flag.deallocate() }
    // SAFETY: the flag says whose turn it is.
    nonisolated(unsafe) let turn = flag
    nonisolated(unsafe) var payload = 0
    try runThreads(2) { thread in
      for round in 0..<rounds {
        let mine = Int32(2 * round + thread)
        while !OSAtomicCompareAndSwap32Barrier(mine, mine, turn) { sched_yield() }
        payload += 1
        OSAtomicIncrement32Barrier(turn)
      }
    }
    #expect(payload == 2 * rounds)
  }
}
