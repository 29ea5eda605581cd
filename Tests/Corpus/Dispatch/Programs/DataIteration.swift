// DataIteration — all members that the iterator of data has as a sequence.

import Dispatch

enum DataIteration {
  static func run() {
    let data = [UInt8(3), 1, 4, 1, 5].withUnsafeBytes { DispatchData(bytes: $0) }
    var stepped: DispatchDataIterator = data.makeIterator()
    while let byte: DispatchDataIterator.Element = stepped.next() { print(byte, terminator: " ") }
    print(stepped.next() == nil)
    let all = data.makeIterator()
    elements(all)
    pieces(all)
  }

  static func elements(_ all: DispatchDataIterator) {
    var again: DispatchDataIterator = all.makeIterator()
    print(again.next() ?? 0, all.underestimatedCount)
    print(all.map { Int($0) }, all.filter { $0 > 2 }, all.compactMap { $0 > 3 ? $0 : nil })
    let twice: [UInt8] = all.flatMap { [$0, $0] }
    let some: [Int] = all.flatMap { (byte: UInt8) -> Int? in byte == 1 ? 1 : nil }
    print(twice, some, all.reduce(0) { $0 + Int($1) }, all.reduce(into: 0) { $0 += Int($1) })
    print(all.contains(4), all.contains { $0 == 8 }, all.allSatisfy { $0 < 10 })
    print(all.count { $0 == 1 }, all.first { $0 > 3 } ?? 0)
    print(all.max() ?? 0, all.min() ?? 0, all.max(by: >) ?? 0, all.min(by: >) ?? 0)
    print(all.sorted(), all.sorted(by: >), all.reversed())
    var generator = SystemRandomNumberGenerator()
    print(all.shuffled().count, all.shuffled(using: &generator).count)
    // swift-format-ignore: ReplaceForEachWithForLoop
    all.forEach { print($0, terminator: " ") }
    for (index, byte) in all.enumerated() { print("\(index):\(byte)", terminator: " ") }
    print(Array(all.lazy.map { $0 * 2 }))
    print(all.withContiguousStorageIfAvailable { $0.count } ?? -1)
  }

  static func pieces(_ all: DispatchDataIterator) {
    print(Array(all.prefix(2)), all.prefix { $0 != 4 }, all.suffix(2))
    print(Array(all.drop { $0 != 4 }), Array(all.dropFirst(2)), all.dropLast(2))
    print(all.split(separator: 1), all.split { $0 > 4 })
    print(all.elementsEqual([3, 1]), all.elementsEqual([3, 1, 4], by: ==))
    print(all.starts(with: [3, 1]), all.starts(with: [3, 1], by: <=))
    print(all.lexicographicallyPrecedes([3, 2]), all.lexicographicallyPrecedes([3], by: >))
  }
}
