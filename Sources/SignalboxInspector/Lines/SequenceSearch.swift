// SequenceSearch — finds the units whose sequences of rows cover given places, without running the
// units' programs.
//
// Each sequence begins with the instruction that sets the address: three known bytes, and then the
// address. The search looks for these bytes. A place belongs to the sequence with the highest
// address that is not above the place, because the sequences of code that is really in the program
// do not overlap. The three bytes may also occur by chance. A place may then be assigned to a unit
// that has no row for it, and gets no line. It never gets a wrong line, because rows come only from
// running the unit's program.

import Glibc

struct SequenceSearch {
  /// By address.
  private let places: [LinePlace]
  /// For each place, the highest start of a sequence above the previous place, and its unit.
  private var found: [(start: UInt64, unit: LineUnits.Unit)?]

  /// The extended opcode that sets an address of eight bytes.
  private static let mark: (UInt8, UInt8, UInt8) = (0, 9, 2)

  /// - Parameter places: in the order of their addresses.
  init(_ places: [LinePlace]) {
    self.places = places
    found = Array(repeating: nil, count: places.count)
  }

  mutating func look(in unit: LineUnits.Unit, _ window: [UInt8], _ bytes: Range<Int>) {
    guard let highest = places.last?.address, bytes.upperBound <= window.count else { return }
    window.withUnsafeBytes { window in
      guard let start = window.baseAddress else { return }
      // Where the rarest of the three bytes may be.
      var from = bytes.lowerBound + 1
      let end = bytes.upperBound - 9
      // SAFETY: both ends of what is searched are within the unit, and the unit is within the window.
      while from < end, let hit = memchr(start + from, Int32(SequenceSearch.mark.1), end - from) {
        let mark = UnsafeRawPointer(hit) - 1
        from = UnsafeRawPointer(hit) - start + 1
        // SAFETY: a byte of the unit is before the hit, and at least nine are behind it.
        guard mark.load(as: UInt8.self) == SequenceSearch.mark.0,
          mark.load(fromByteOffset: 2, as: UInt8.self) == SequenceSearch.mark.2
        else { continue }
        let address = mark.loadUnaligned(fromByteOffset: 3, as: UInt64.self)
        if UInt64(littleEndian: address) <= highest { take(UInt64(littleEndian: address), unit) }
        from += 9
      }
    }
  }

  private mutating func take(_ address: UInt64, _ unit: LineUnits.Unit) {
    let index = places.partition(below: address)
    if let known = found[index], known.start >= address { return }
    found[index] = (address, unit)
  }

  /// The units that may have rows for places, each with its places in the order of their addresses.
  var units: [(unit: LineUnits.Unit, places: [LinePlace])] {
    var units: [UInt64: (unit: LineUnits.Unit, places: [LinePlace])] = [:]
    var best: LineUnits.Unit?
    for (place, hit) in zip(places, found) {
      // A sequence found for this place begins behind the previous place, so it is closer than any
      // found for an earlier place. If none was found, the best unit so far applies.
      if let hit { best = hit.unit }
      if let best { units[best.start, default: (best, [])].places.append(place) }
    }
    return Array(units.values)
  }
}
