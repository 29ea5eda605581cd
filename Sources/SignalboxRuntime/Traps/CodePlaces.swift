// CodePlaces — in which functions many addresses lie, found with one look into each file.

import CSignalbox

/// What is known of some addresses to which functions return.
struct CodePlaces {
  struct Place {
    /// The path of the file that the code was loaded from; empty if not known.
    var image = ""
    /// The function's symbol, as the file has it; empty if not known.
    var symbol = ""
    /// How far the address lies behind the symbol's, or the image's without one.
    var offset: UInt = 0
  }

  private var places: [UInt: Place] = [:]

  /// Milliseconds for each file in which they lie, and microseconds for each of them.
  init(_ addresses: some Sequence<UInt>) {
    // A call that is a function's last instruction returns behind the function.
    let sorted = Set(addresses.map { $0 == 0 ? 0 : $0 - 1 }).sorted()
    places.reserveCapacity(sorted.count)
    withUnsafeMutablePointer(to: &self) { found in
      csb_code_find_all(
        sorted, sorted.count,
        { found, address, place in
          // SAFETY: that of the call, which is over before the pointer is.
          found?.assumingMemoryBound(to: CodePlaces.self).pointee.note(address, place)
        }, found)
    }
  }

  subscript(address: UInt) -> Place { places[address == 0 ? 0 : address - 1] ?? Place() }

  private mutating func note(_ address: UInt, _ place: UnsafePointer<csb_code_place>) {
    places[address] = Place(
      image: CodePlaces.text(of: place, \.image), symbol: CodePlaces.text(of: place, \.symbol),
      offset: UInt(place.pointee.offset) &+ 1)
  }

  private static func text<Bytes>(
    of place: UnsafePointer<csb_code_place>, _ field: KeyPath<csb_code_place, Bytes>
  ) -> String {
    withUnsafeBytes(of: place.pointee[keyPath: field]) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}
