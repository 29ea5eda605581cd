import CBenchmark

extension Subject {
  /// So many that each is an item of its own for whoever keeps a list of them.
  static let dataAppend = Subject(
    name: "data-append",
    title: "`DispatchData`: 64 bytes appended, 1,000 times",
    goal: .ratio(0.50, required: false),
    measurement: .cost {
      let portion = [UInt8](repeating: 7, count: 64)
      return { operations in
        var left = operations
        while left > 0 {
          let round = min(left, 1_000)
          var data = DispatchData.empty
          for _ in 0..<round { portion.withUnsafeBytes { data.append($0) } }
          precondition(data.count == round * 64)
          left -= round
        }
      }
    })

  /// Where appending costs more with each append, it does not come to its end.
  static let dataAppendMillion = Subject(
    name: "data-append-million",
    title: "`DispatchData`: 64 bytes appended, 1,000,000 times: until all are there",
    goal: .value(500),
    measurement: .episode { timeout in
      let expected = 1_000_000
      let portion = [UInt8](repeating: 7, count: 64)
      var data = DispatchData.empty
      var arrived = 0
      let start = cbench_now()
      while arrived < expected && cbench_now() - start < timeout {
        for _ in 0..<100 { portion.withUnsafeBytes { data.append($0) } }
        arrived += 100
      }
      return Episode(nanoseconds: cbench_now() - start, arrived: arrived, expected: expected)
    })

  static let dataSlicesOfOnePiece = slices(
    "data-slices", "random slices of a piece of 1 MiB", pieces: 1)
  static let dataSlicesOfManyPieces = slices(
    "data-slices-rope", "random slices of 1,000 pieces", pieces: 1_000)

  private static func slices(_ name: String, _ title: String, pieces: Int) -> Subject {
    Subject(
      name: name, title: "`DispatchData`: \(title)", goal: .ratio(0.50, required: false),
      measurement: .cost {
        let data = makeData(pieces: pieces)
        return { operations in
          var random: UInt64 = 88_172_645_463_325_252
          for _ in 0..<operations {
            let (first, second) = (
              Int(next(&random) % UInt64(data.count)), Int(next(&random) % UInt64(data.count))
            )
            let part = data.subdata(in: min(first, second)..<max(first, second))
            cbench_consume(UInt64(part.count))
          }
        }
      })
  }

  static let dataEnumerate = Subject(
    name: "data-enumerate",
    title: "`DispatchData`: 1,000 pieces enumerated, a piece",
    goal: .ratio(0.50, required: false),
    measurement: .cost {
      let data = makeData(pieces: 1_000)
      return { operations in
        var left = operations
        while left > 0 {
          data.enumerateBytes { bytes, start, stop in
            cbench_consume(UInt64(bytes.count &+ start))
            left -= 1
            stop = left == 0
          }
        }
      }
    })

  static let dataBytes = Subject(
    name: "data-iterate",
    title: "`DispatchData`: 1,000 pieces of 1 KiB, byte by byte",
    goal: .ratio(0.50, required: false),
    measurement: .cost {
      let data = makeData(pieces: 1_000)
      return { operations in
        var left = operations
        var sum: UInt64 = 0
        while left > 0 {
          for byte in data {
            sum &+= UInt64(byte)
            left -= 1
            if left == 0 { break }
          }
        }
        cbench_consume(sum)
      }
    })

  /// 1 MiB.
  private static func makeData(pieces: Int) -> DispatchData {
    let bytes = [UInt8](repeating: 7, count: (1 << 20) / pieces)
    var data = DispatchData.empty
    for _ in 0..<pieces { data.append(bytes.withUnsafeBytes { DispatchData(bytes: $0) }) }
    return data
  }

  /// The xorshift generator of G. Marsaglia (2003).
  @inline(__always)
  private static func next(_ state: inout UInt64) -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}
