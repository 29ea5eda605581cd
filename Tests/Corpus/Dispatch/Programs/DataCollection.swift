// DataCollection — all members that data has as a collection of bytes.

import Dispatch

enum DataCollection {
  typealias Place = DispatchData.Index

  static func run() {
    var data = [UInt8(3), 1, 4, 1].withUnsafeBytes { DispatchData(bytes: $0) }
    data.append([UInt8(5), 9, 2].withUnsafeBytes { DispatchData(bytes: $0) })
    elements(data)
    places(data)
    pieces(data)
    comparisons(data)
  }

  static func elements(_ data: DispatchData) {
    let iterator: DispatchData.Iterator = data.makeIterator()
    print(Array(iterator), data.isEmpty, data.underestimatedCount)
    print(data.map { $0 + 1 }, data.filter { $0 > 2 }, data.compactMap { $0 > 3 ? $0 : nil })
    let twice: [UInt8] = data.flatMap { [$0, $0] }
    let some: [Int] = data.flatMap { (byte: UInt8) -> Int? in byte == 1 ? 1 : nil }
    let inSequence: [Int] = (data.map as ((UInt8) -> Int) -> [Int])({ Int($0) })
    print(twice, some, inSequence)
    print(data.reduce(0) { $0 + Int($1) }, data.reduce(into: 0) { $0 += Int($1) })
    print(data.contains(9), data.contains { $0 == 8 }, data.allSatisfy { $0 < 10 })
    print(data.count { $0 == 1 }, data.first ?? 0, data.last ?? 0)
    print(data.first { $0 > 3 } ?? 0, data.last { $0 > 3 } ?? 0)
    print(data.max() ?? 0, data.min() ?? 0, data.max(by: >) ?? 0, data.min(by: >) ?? 0)
    print(data.sorted(), data.sorted(by: >), Array(data.reversed()))
    var generator = SystemRandomNumberGenerator()
    print(data.shuffled().count, data.shuffled(using: &generator).sorted() == data.sorted())
    print(data.randomElement() != nil, data.randomElement(using: &generator) != nil)
    // swift-format-ignore: ReplaceForEachWithForLoop
    data.forEach { print($0, terminator: " ") }
    for (index, byte) in data.enumerated() { print("\(index):\(byte)", terminator: " ") }
    print(Array(data.lazy.map { $0 * 2 }))
    print(data.withContiguousStorageIfAvailable { $0.count } ?? -1)
  }

  static func places(_ data: DispatchData) {
    let indices: DispatchData.Indices = data.indices
    print(Array(indices), data.distance(from: 1, to: 5))
    var place: Place = data.startIndex
    data.formIndex(after: &place)
    data.formIndex(&place, offsetBy: 3)
    data.formIndex(before: &place)
    print(place, data.formIndex(&place, offsetBy: 10, limitedBy: 5), place)
    print(data.index(1, offsetBy: 2), data.index(1, offsetBy: 9, limitedBy: 4) ?? -1)
    print(data.firstIndex(of: 1) ?? -1, data.lastIndex(of: 1) ?? -1, data.index(of: 4) ?? -1)
    print(data.firstIndex { $0 > 4 } ?? -1, data.lastIndex { $0 > 4 } ?? -1)
    let ones = data.indices(of: 1)
    let large = data.indices { $0 > 3 }
    print(ones.ranges.map { "\($0)" }, large.ranges.map { "\($0)" })
    print(Array(data[large]), Array(data.removingSubranges(ones)))
    print(data.firstRange(of: [1, 5]) ?? 0..<0, data.ranges(of: [1]))
    print(inCollection(data))
  }

  static func inCollection(_ data: DispatchData) -> Range<Int> {
    let find: ([UInt8]) -> Range<Int>? = data.firstRange(of:)
    return find([5, 9]) ?? 0..<0
  }

  static func pieces(_ data: DispatchData) {
    let slice: Slice<DispatchData> = data[1..<3]
    print(Array(slice), Array(data[2...]), Array(data[...]), data[3])
    print(Array(data.prefix(2)), Array(data.suffix(2)), Array(data.prefix(upTo: 3)))
    print(Array(data.prefix(through: 3)), Array(data.suffix(from: 5)))
    print(Array(data.prefix { $0 != 4 }), Array(data.drop { $0 != 4 }))
    print(Array(data.dropFirst(2)), Array(data.dropLast(5)))
    print(data.split(separator: 1).map(Array.init), data.split { $0 > 4 }.map(Array.init))
    print(Array(data.trimmingPrefix([3, 1])), Array(data.trimmingPrefix { $0 < 5 }))
  }

  static func comparisons(_ data: DispatchData) {
    print(data.elementsEqual([3, 1]), data.elementsEqual([3, 1, 4], by: ==))
    print(data.starts(with: [3, 1]), data.starts(with: [3, 1], by: <=))
    print(data.lexicographicallyPrecedes([3, 2]), data.lexicographicallyPrecedes([3], by: >))
    print(data.difference(from: [3, 1, 4, 1, 5, 9]).count)
    print(data.difference(from: [3, 1]) { $0 == $1 }.insertions.count)
  }
}
