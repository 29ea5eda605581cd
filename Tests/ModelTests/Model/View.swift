// View — what has happened before a point of an execution.
//
// A view is the operational form of the happens-before relation. It holds the latest known
// write of each atomic location, the number of known plain accesses of each thread, and the
// seq_cst operations that strongly happen before. A synchronizes-with edge joins two views.
//
// Layout      one byte for each location and thread, packed in words, because an
//             exploration joins, copies and hashes views by the million.
//             Bytes stay below 128: `bytewiseMaximum` uses the eighth bit.

/// A point's past: positions in modification orders, clocks, seq_cst nodes.
struct View: Equatable {
  static let maximumLocations = 16
  static let maximumThreads = 8

  /// Positions in the modification orders of locations 0–7 and 8–15.
  private var lowPositions: UInt64 = 0
  private var highPositions: UInt64 = 0

  /// For each thread, how many of its clocked accesses happen before here.
  var clocks: UInt64 = 0

  /// The seq_cst fences that happen before here, and the seq_cst accesses that
  /// strongly do (see `SequentialOrder`).
  var nodes: UInt64 = 0

  /// The position of the latest write to `location` known here.
  subscript(location: Int) -> Int {
    get {
      location < 8
        ? Int(truncatingIfNeeded: (lowPositions &>> UInt64(location &* 8)) & 0xFF)
        : Int(truncatingIfNeeded: (highPositions &>> UInt64((location &- 8) &* 8)) & 0xFF)
    }
    set {
      precondition(newValue >= 0 && newValue < 128, "a modification order has grown too long")
      let byte = UInt64(truncatingIfNeeded: newValue)
      if location < 8 {
        let shift = UInt64(location &* 8)
        lowPositions = (lowPositions & ~(0xFF &<< shift)) | (byte &<< shift)
      } else {
        let shift = UInt64((location &- 8) &* 8)
        highPositions = (highPositions & ~(0xFF &<< shift)) | (byte &<< shift)
      }
    }
  }

  mutating func join(_ other: View) {
    lowPositions = bytewiseMaximum(lowPositions, other.lowPositions)
    highPositions = bytewiseMaximum(highPositions, other.highPositions)
    clocks = bytewiseMaximum(clocks, other.clocks)
    nodes |= other.nodes
  }

  /// Adjusts the view after a write was inserted at `position` of the modification order.
  mutating func makeRoom(at position: Int, in location: Int) {
    let known = self[location]
    if known >= position { self[location] = known &+ 1 }
  }

  /// Adjusts the view after the first `count` writes of the modification order were forgotten.
  mutating func dropFirst(_ count: Int, of location: Int) {
    let known = self[location]
    if known != 0 { self[location] = known > count ? known &- count : 0 }
  }

  func append(to key: inout [UInt64]) {
    key.append(lowPositions)
    key.append(highPositions)
    key.append(clocks)
    key.append(nodes)
  }
}

// MARK: - Bytes in words

/// Returns the greater of each pair of bytes; every byte is below 128.
func bytewiseMaximum(_ a: UInt64, _ b: UInt64) -> UInt64 {
  if a == b { return a }
  let top: UInt64 = 0x8080_8080_8080_8080
  let notLess = ((a | top) &- b) & top
  let mask = (notLess &>> 7) &* 0xFF
  return (a & mask) | (b & ~mask)
}

func byte(_ index: Int, of word: UInt64) -> Int {
  Int(truncatingIfNeeded: (word &>> UInt64(index &* 8)) & 0xFF)
}

func settingByte(_ index: Int, of word: UInt64, to value: Int) -> UInt64 {
  precondition(value >= 0 && value < 128, "a clock has run too far")
  let shift = UInt64(index &* 8)
  return (word & ~(0xFF &<< shift)) | (UInt64(truncatingIfNeeded: value) &<< shift)
}
