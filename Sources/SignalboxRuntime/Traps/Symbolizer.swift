// Symbolizer — finds the functions of many addresses, reading each file once.

import CSignalbox

/// The functions that contain some return addresses.
package struct Symbolizer {
  package struct Symbol {
    /// The path of the file from which the code was loaded; empty if unknown.
    package var image = ""
    /// The function's symbol in the file; empty if unknown.
    package var symbol = ""
    /// The distance of the address from the symbol, or from the image if there is none.
    package var offset: UInt = 0
  }

  private var symbols: [UInt: Symbol] = [:]

  /// Takes milliseconds for each file that contains addresses, and microseconds for each
  /// address.
  package init(_ addresses: some Sequence<UInt>) {
    // If a call is the last instruction of a function, its return address is past the
    // end of the function.
    let sorted = Set(addresses.map { $0 == 0 ? 0 : $0 - 1 }).sorted()
    symbols.reserveCapacity(sorted.count)
    withUnsafeMutablePointer(to: &self) { found in
      csb_code_find_all(
        sorted, sorted.count,
        { found, address, symbol in
          // SAFETY: `found` as passed below, valid until `csb_code_find_all` returns.
          found?.assumingMemoryBound(to: Symbolizer.self).pointee.note(address, symbol)
        }, found)
    }
  }

  package subscript(address: UInt) -> Symbol { symbols[address == 0 ? 0 : address - 1] ?? Symbol() }

  private mutating func note(_ address: UInt, _ symbol: UnsafePointer<csb_code_symbol>) {
    symbols[address] = Symbol(
      image: Symbolizer.text(of: symbol, \.image), symbol: Symbolizer.text(of: symbol, \.symbol),
      offset: UInt(symbol.pointee.offset) &+ 1)
  }

  private static func text<Bytes>(
    of symbol: UnsafePointer<csb_code_symbol>, _ field: KeyPath<csb_code_symbol, Bytes>
  ) -> String {
    withUnsafeBytes(of: symbol.pointee[keyPath: field]) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}
