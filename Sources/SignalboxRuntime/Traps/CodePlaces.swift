// CodePlaces — finds the functions of many addresses, reading each file once.

import CSignalbox

/// The functions that contain some return addresses.
package struct CodePlaces {
  package struct Place {
    /// The path of the file from which the code was loaded; empty if unknown.
    package var image = ""
    /// The function's symbol in the file; empty if unknown.
    package var symbol = ""
    /// The distance of the address from the symbol, or from the image if there is none.
    package var offset: UInt = 0
  }

  private var places: [UInt: Place] = [:]

  /// Takes milliseconds for each file that contains addresses, and microseconds for each
  /// address.
  package init(_ addresses: some Sequence<UInt>) {
    // If a call is the last instruction of a function, its return address is behind the
    // function.
    let sorted = Set(addresses.map { $0 == 0 ? 0 : $0 - 1 }).sorted()
    places.reserveCapacity(sorted.count)
    withUnsafeMutablePointer(to: &self) { found in
      csb_code_find_all(
        sorted, sorted.count,
        { found, address, place in
          // SAFETY: the pointer of the call, which ends before the pointer's scope does.
          found?.assumingMemoryBound(to: CodePlaces.self).pointee.note(address, place)
        }, found)
    }
  }

  package subscript(address: UInt) -> Place { places[address == 0 ? 0 : address - 1] ?? Place() }

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
