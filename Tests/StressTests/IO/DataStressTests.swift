// DataStressTests — data has the same bytes as an array after the same operations, whatever is
// shared, and lent memory is returned once.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

let dataSubjects = [
  Subject("data agrees with an array to which the same was done", agreeWithArrays),
  Subject("values that share memory go their own ways on their threads", goOwnWays),
  Subject("all threads find the same contiguous copy", flattenTogether),
]

@Suite(.guarded) struct DataStressTests {
  @Test(arguments: dataSubjects) func holds(_ subject: Subject) throws {
    try subject.smoke()
  }
}

/// Data, and the bytes that it must have.
private struct Twin: Sendable {
  var data = DispatchData.empty
  var bytes: [UInt8] = []

  func check(_ random: inout SeededGenerator) throws {
    try agree(data.count, bytes.count, "bytes")
    try agree(data.isEmpty, bytes.isEmpty, "whether it is empty")
    let range = somewhere(in: bytes.count, &random)
    switch Int.random(in: 0..<9, using: &random) {
    case 0: try agree([UInt8](data), bytes, "an array of it")
    case 1:
      for index in range.prefix(20) { try agree(data[index], bytes[index], "byte \(index)") }
    case 2: try checkPieces()
    case 3:
      var target = [UInt8](repeating: 0, count: range.count)
      target.withUnsafeMutableBytes { data.copyBytes(to: $0, from: range) }
      try agree(target, [UInt8](bytes[range]), "copied bytes of \(range)")
    case 4:
      var iterator = data.makeIterator()
      for (index, byte) in bytes.enumerated() where iterator.next() != byte {
        throw Broken("the iterator differs at \(index)")
      }
      try agree(iterator.next(), nil, "after the last byte")
    case 5:
      let copy = data.withUnsafeBytes { (first: UnsafePointer<UInt8>) in
        [UInt8](UnsafeBufferPointer(start: first, count: data.count))
      }
      try agree(copy, bytes, "bytes in one stretch")
    case 6: try agree([UInt8](data[range]), [UInt8](bytes[range]), "slice \(range)")
    case 7: try agree([UInt8](data.reversed()), bytes.reversed(), "backwards")
    default:
      guard let location = bytes.indices.randomElement(using: &random) else { return }
      let (piece, offset) = data.region(location: location)
      try agree(
        offset <= location && location < offset + piece.count, true, "the region holds \(location)")
      try agree(
        [UInt8](piece), [UInt8](bytes[offset..<offset + piece.count]), "region at \(location)")
    }
  }

  /// The pieces are consecutive, none is empty, and together they are the whole data.
  private func checkPieces() throws {
    var seen: [UInt8] = []
    var starts: [Bool] = []
    data.enumerateBytes { piece, start, _ in
      starts.append(start == seen.count && piece.count > 0)
      seen += piece
    }
    try agree(seen, bytes, "bytes of the pieces")
    try agree(starts.allSatisfy { $0 }, true, "where the pieces begin")
  }
}

private func somewhere(in count: Int, _ random: inout SeededGenerator) -> Range<Int> {
  let (a, b) = (
    Int.random(in: 0...count, using: &random), Int.random(in: 0...count, using: &random)
  )
  return min(a, b)..<max(a, b)
}

private func someBytes(_ most: Int, _ random: inout SeededGenerator) -> [UInt8] {
  let count = Int.random(in: 0...[4, 70, 700, most].randomElement(using: &random)!, using: &random)
  let first = random.next()
  return (0..<count).map { UInt8(truncatingIfNeeded: first &+ UInt64($0 &* 7)) }
}

/// Lent memory, and how often it was returned.
private struct Lent: Sendable {
  let made = EventCounter("lent")
  let returned = EventCounter("returned")
  let queue = DispatchQueue(label: "returns")

  func data(_ bytes: [UInt8], _ random: inout SeededGenerator) -> DispatchData {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    memory.copyBytes(from: bytes)
    made.increment()
    // SAFETY: the deallocator frees it once.
    nonisolated(unsafe) let lent = memory
    let returned = returned
    return DispatchData(
      bytesNoCopy: UnsafeRawBufferPointer(memory),
      deallocator: .custom(Bool.random(using: &random) ? queue : nil) {
        // A reader that arrives too late reads these bytes.
        lent.initializeMemory(as: UInt8.self, repeating: 0xEE)
        lent.deallocate()
        returned.increment()
      })
  }

  func checkAllAreBack() throws {
    try returned.wait(for: made.value)
    queue.sync {}
    try agree(returned.value, made.value, "deallocators run")
  }
}

private func agreeWithArrays(_ random: inout SeededGenerator) throws {
  let lent = Lent()
  var twins = [Twin(), Twin(), Twin(), Twin()]
  for _ in 0..<500 {
    let at = Int.random(in: 0..<twins.count, using: &random)
    change(&twins, at, lent, &random)
    try twins[at].check(&random)
    try twins.randomElement(using: &random)!.check(&random)
  }
  twins = []
  try lent.checkAllAreBack()
}

private func change(
  _ twins: inout [Twin], _ at: Int, _ lent: Lent, _ random: inout SeededGenerator
) {
  let longest = 40_000
  switch Int.random(in: 0..<12, using: &random) {
  case 0...3:
    let bytes = someBytes(9_000, &random)
    bytes.withUnsafeBytes { twins[at].data.append($0) }
    twins[at].bytes += bytes
  case 4, 5:
    let other = twins.randomElement(using: &random)!
    twins[at].data.append(other.data)
    twins[at].bytes += other.bytes
  case 6:
    // Prepends the bytes.
    let bytes = someBytes(900, &random)
    var front = Twin(data: bytes.withUnsafeBytes { DispatchData(bytes: $0) }, bytes: bytes)
    front.data.append(twins[at].data)
    front.bytes += twins[at].bytes
    twins[at] = front
  case 7:
    let bytes = someBytes(2_000, &random)
    twins[at].data.append(lent.data(bytes, &random))
    twins[at].bytes += bytes
  case 8: twins[at] = twins.randomElement(using: &random)!
  case 9:
    let range = somewhere(in: twins[at].bytes.count, &random)
    twins[at] = Twin(
      data: twins[at].data.subdata(in: range), bytes: [UInt8](twins[at].bytes[range]))
  case 10:
    // Many short pieces make the trees high.
    for _ in 0..<Int.random(in: 1...60, using: &random) {
      let bytes = someBytes(3, &random)
      twins[at].data.append(bytes.withUnsafeBytes { DispatchData(bytes: $0) })
      twins[at].bytes += bytes
    }
  default:
    let elements = (0..<5).map { _ in UInt32(truncatingIfNeeded: random.next()) }
    elements.withUnsafeBufferPointer { twins[at].data.append($0) }
    elements.withUnsafeBytes { twins[at].bytes += $0 }
  }
  if twins[at].bytes.count > longest {
    let range = twins[at].bytes.count - 5_000..<twins[at].bytes.count
    twins[at] = Twin(
      data: twins[at].data.subdata(in: range), bytes: [UInt8](twins[at].bytes[range]))
  }
}

/// All threads start from the same value, and each continues it in its own way. They all try to
/// claim the same memory behind it.
private func goOwnWays(_ random: inout SeededGenerator) throws {
  let threads = Int.random(in: 2...4, using: &random)
  let generators = (0..<threads).map { _ in random.split() }
  let lent = Lent()
  var start = Twin()
  for _ in 0..<Int.random(in: 1...40, using: &random) {
    var one = [start]
    change(&one, 0, lent, &random)
    start = one[0]
  }
  let shared = start
  start = Twin()
  try runThreads(threads) { index in
    var random = generators[index]
    var twins = [shared, shared]
    for _ in 0..<60 {
      let at = Int.random(in: 0..<2, using: &random)
      change(&twins, at, lent, &random)
      try twins[at].check(&random)
    }
    try shared.check(&random)
  }
  try shared.check(&random)
}

private func flattenTogether(_ random: inout SeededGenerator) throws {
  let threads = Int.random(in: 2...4, using: &random)
  for _ in 0..<20 {
    var start = Twin()
    while start.data.region(location: 0).data.count == start.data.count {
      let bytes = someBytes(5_000, &random)
      start.data.append(bytes.withUnsafeBytes { DispatchData(bytes: $0) })
      start.bytes += bytes
    }
    let twin = start
    let places = EventLog<UInt>()
    try runThreads(threads) { _ in
      try twin.data.withUnsafeBytes { (first: UnsafePointer<UInt8>) in
        places.append(UInt(bitPattern: first))
        let all = UnsafeBufferPointer(start: first, count: twin.data.count)
        try agree(all.elementsEqual(twin.bytes), true, "bytes in one stretch")
      }
    }
    try agree(Set(places.all).count, 1, "contiguous copies")
  }
}
