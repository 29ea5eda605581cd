// PlaceWords — a stack in words: the program's function that called into this package.

import CSignalbox

package struct PlaceWords {
  /// The modules whose functions are no place: whoever called them is.
  static let ours: Set<Substring> = [
    "Signalbox", "SignalboxRuntime", "SignalboxDispatch", "SignalboxLocks", "SignalboxThreads",
    "SignalboxRunLoop", "SignalboxOperations", "SignalboxPatterns", "SignalboxTrace",
    "SignalboxConcurrency", "SignalboxFoundation", "SignalboxFoundationNetworking", "Swift",
  ]

  private let places: CodePlaces
  /// The functions that were asked for so far, by an address in them.
  private var known: [UInt: String] = [:]

  /// For the functions at these addresses: milliseconds for each file in which they lie.
  init(_ addresses: some Sequence<UInt>) { places = CodePlaces(addresses) }

  /// Makes what is made once, and loads the unwinder: not under anybody's lock, nor in a
  /// forked child.
  static func prepare() {
    _ = Backtrace.ofThisThread(limit: 1)
    _ = isPlace("")
  }

  /// Files and offsets in them, the innermost first: "server+0x4711 < server+0x815".
  static func files(_ addresses: [UInt]) -> String {
    withUnsafeTemporaryAllocation(of: csb_code_place.self, capacity: 1) { place in
      addresses.map { address in
        guard csb_code_find_image(address, place.baseAddress!) != 0 else { return hex(address) }
        let image = withUnsafeBytes(of: place[0].image) { bytes in
          String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        return "\(lastPart(image))+\(hex(UInt(place[0].offset)))"
      }.joined(separator: " < ")
    }
  }

  private static func lastPart(_ path: String) -> Substring {
    path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...]
  }

  private static func hex(_ number: UInt) -> String { "0x" + String(number, radix: 16) }

  /// The innermost function that is the program's own; empty where only this package's are
  /// on the stack; nil where no function has a name.
  ///
  /// Microseconds for each address that was not asked for before.
  mutating func function(_ addresses: [UInt]) -> String? {
    var isAnyNamed = false
    for address in addresses {
      let name = name(at: address)
      if name.isEmpty { continue }
      isAnyNamed = true
      if PlaceWords.isPlace(name) { return PlaceWords.withoutForwarder(name) }
    }
    return isAnyNamed ? "" : nil
  }

  private mutating func name(at address: UInt) -> String {
    if let name = known[address] { return name }
    let name = Backtrace.words(for: places[address].symbol)
    known[address] = name
    return name
  }

  /// Whether a function of this name is the program's, and not the compiler's alone.
  package static func isPlace(_ function: String) -> Bool {
    let isGlue = ["reabstraction thunk ", "protocol witness for ", "merged "].contains {
      function.hasPrefix($0)
    }
    if isGlue || function.hasPrefix("csb_") || function.hasPrefix("swift_") { return false }
    if function.hasPrefix("__libc_start_") || function == "start_thread" || function == "_start"
      || function.hasPrefix("clone")
    {
      return false
    }
    return !ours.contains(module(of: function))
  }

  /// "closure #1 () -> () in static Shop.sell() -> ()": Shop.
  private static func module(of function: String) -> Substring {
    var name = function[...]
    for word in [" in ", " of ", " for "] {
      if let last = name.ranges(of: word).last { name = name[last.upperBound...] }
    }
    if name.hasPrefix("static ") { name = name.dropFirst("static ".count) }
    return name.prefix { $0 == "_" || $0.isLetter || $0.isNumber }
  }

  private static func withoutForwarder(_ function: String) -> String {
    for prefix in ["partial apply forwarder for ", "partial apply for "]
    where function.hasPrefix(prefix) {
      return String(function.dropFirst(prefix.count))
    }
    return function
  }
}
