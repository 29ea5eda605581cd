// Data — the memory that data takes, and that it returns all of it.

import Glibc
import SignalboxDispatch

package enum DataScenario: String, CountedScenario {
  case dataIsFreed = "data-is-freed"
  case appendsToData = "appends-to-data"
  case dataOfManyPieces = "data-of-many-pieces"
  case smallSlicesOfLargeData = "small-slices-of-large-data"
}

extension DataScenario: Scenario {
  func run() {
    switch self {
    case .dataIsFreed:
      leftovers(of: useData)
    // Argument: the number of appends of 64 bytes.
    case .appendsToData:
      let count = integerArgument(0, default: 1_000_000)
      let portion = [UInt8](repeating: 7, count: 64)
      let inUse = bytesInUse()
      var data = DispatchData.empty
      for _ in 0..<count { portion.withUnsafeBytes { data.append($0) } }
      report("count", data.count)
      report("bytesInUse", bytesInUse() - inUse)
      report("pieces", pieces(of: data))
    // Makes, reads and frees data of many separate pieces: first each piece is appended, then,
    // with fewer pieces, each is put in front. Arguments: the two counts.
    case .dataOfManyPieces:
      let countBehind = integerArgument(0, default: 1_000_000)
      let countInFront = integerArgument(1, default: 100_000)
      // Printing and the first two rounds create everything that is created only once.
      report("count", countBehind + countInFront)
      var inUse = 0
      for (count, atFront) in [
        (100, true), (100, false), (countInFront, true), (countBehind, false),
      ] {
        if count == countInFront { inUse = bytesInUse() }
        var data = DispatchData.empty
        for number in 0..<count {
          let piece = withUnsafeBytes(of: number) { DispatchData(bytes: $0) }
          if atFront {
            var longer = piece
            longer.append(data)
            data = longer
          } else {
            data.append(piece)
          }
        }
        var wrong = 0
        for number in stride(from: 0, to: count, by: 97) {
          let place = (atFront ? count - 1 - number : number) * 8
          let part = data.subdata(in: place..<place + 8)
          let value = part.withUnsafeBytes { (first: UnsafePointer<Int>) in first.pointee }
          if value != number || data[place] != UInt8(truncatingIfNeeded: number) { wrong += 1 }
        }
        if count == 100 { continue }
        report(atFront ? "wrongInFront" : "wrongBehind", wrong)
        report(atFront ? "piecesInFront" : "piecesBehind", pieces(of: data))
      }
      report("left", bytesInUse() - inUse)
    // Keeps a small slice of each large copy, then of each piece of lent memory.
    case .smallSlicesOfLargeData:
      let large = [UInt8](repeating: 3, count: 1 << 20)
      var slices: [DispatchData] = []
      let inUse = bytesInUse()
      for _ in 0..<64 {
        let data = large.withUnsafeBytes { DispatchData(bytes: $0) }
        slices.append(data.subdata(in: 1000..<1020))
      }
      report("keptOfCopies", bytesInUse() - inUse)
      slices = []
      for _ in 0..<64 {
        let memory = malloc(large.count)!
        let data = DispatchData(
          bytesNoCopy: UnsafeRawBufferPointer(start: memory, count: large.count))
        slices.append(data.subdata(in: 1000..<1020))
      }
      // An optimised build would free it and the slices after their last use.
      withExtendedLifetime((large, slices)) { report("keptOfLent", bytesInUse() - inUse) }
      slices = []
      withExtendedLifetime(large) { report("left", bytesInUse() - inUse) }
    }
  }
}

private func pieces(of data: DispatchData) -> Int {
  var pieces = 0
  data.enumerateBytes { _, _, _ in pieces += 1 }
  return pieces
}

/// Makes data in every way and releases it.
private func useData(_ count: Int, _ ran: Tally) {
  let group = DispatchGroup()
  let queue = DispatchQueue(label: "org.signalbox.facts.data")
  let portion = [UInt8](repeating: 7, count: 64)
  var data = DispatchData.empty
  for number in 0..<count {
    portion.withUnsafeBytes { data.append($0) }
    let copy = data
    group.enter()
    let memory = malloc(16)!
    // SAFETY: the deallocator frees it once.
    nonisolated(unsafe) let lent = memory
    data.append(
      DispatchData(
        bytesNoCopy: UnsafeRawBufferPointer(start: memory, count: 16),
        deallocator: .custom(number % 2 == 0 ? queue : nil) {
          free(lent)
          ran.increment()
          group.leave()
        }))
    data.append(
      DispatchData(bytesNoCopy: UnsafeRawBufferPointer(start: malloc(8)!, count: 8)))
    data.append(copy.subdata(in: copy.count / 2 - min(40, copy.count / 2)..<copy.count / 2))
    if number % 50 == 0 {
      data.withUnsafeBytes { (_: UnsafePointer<UInt8>) in }
      data = data.subdata(in: data.count / 2..<data.count)
    }
  }
  data = .empty
  group.wait()
}
