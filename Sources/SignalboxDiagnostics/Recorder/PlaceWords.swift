// PlaceWords — names the program function that called into this package.

import CSignalbox
import SignalboxRuntime

package struct PlaceWords {
  /// Functions of these modules do not count as places; their caller does.
  static let ours: Set<Substring> = [
    "Signalbox", "SignalboxRuntime", "SignalboxDiagnostics", "SignalboxDispatch", "SignalboxLocks",
    "SignalboxThreads",
    "SignalboxRunLoop", "SignalboxOperations", "SignalboxPatterns", "SignalboxTrace",
    "SignalboxConcurrency", "SignalboxFoundation", "SignalboxFoundationNetworking",
    "SignalboxDropIn", "SignalboxBridges", "Swift",
    // The toolchain's classes over Dispatch's C interface.
    "Dispatch",
  ]

  /// Functions of these modules submit work for the program, so they count as places only if the
  /// stack contains no other place.
  static let helpers: Set<Substring> = [
    "Foundation", "FoundationEssentials", "FoundationNetworking", "XCTest",
  ]

  private let symbols: Symbolizer
  /// The function names found so far, keyed by an address inside each function.
  private var known: [UInt: String] = [:]

  /// Prepares to name the functions at `addresses`. Takes milliseconds for each
  /// binary that contains one of them.
  init(_ addresses: some Sequence<UInt>) { symbols = Symbolizer(addresses) }

  /// Loads the unwinder and initializes lazy globals. Call without locks held
  /// and not in a forked child.
  static func prepare() {
    _ = Backtrace.ofThisThread(limit: 1)
    _ = isPlace("")
  }

  /// The stack as files and offsets, innermost first: "server+0x4711 <
  /// server+0x815".
  static func files(_ addresses: [UInt]) -> String {
    withUnsafeTemporaryAllocation(of: csb_code_symbol.self, capacity: 1) { found in
      addresses.map { address in
        guard csb_code_find_image(address, found.baseAddress!) != 0 else { return hex(address) }
        let image = withUnsafeBytes(of: found[0].image) { bytes in
          String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        return "\(lastPart(image))+\(hex(UInt(found[0].offset)))"
      }.joined(separator: " < ")
    }
  }

  private static func lastPart(_ path: String) -> Substring {
    path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...]
  }

  private static func hex(_ number: UInt) -> String { "0x" + String(number, radix: 16) }

  /// The innermost function that belongs to the program. Empty if only
  /// functions of this package are on the stack; nil if no function has a name.
  ///
  /// Takes microseconds for each address that it has not seen before.
  mutating func function(_ addresses: [UInt]) -> String? {
    var helper: String?
    var isAnyNamed = false
    for address in addresses {
      let name = name(at: address)
      if name.isEmpty { continue }
      isAnyNamed = true
      if !PlaceWords.isPlace(name) { continue }
      let function = PlaceWords.withoutForwarder(name)
      if !PlaceWords.helpers.contains(PlaceWords.module(of: name)) { return function }
      helper = helper ?? function
    }
    return helper ?? (isAnyNamed ? "" : nil)
  }

  private mutating func name(at address: UInt) -> String {
    if let name = known[address] { return name }
    let name = Backtrace.words(for: symbols[address].symbol)
    known[address] = name
    return name
  }

  /// Whether a function of this name belongs to the program and is not compiler
  /// glue.
  package static func isPlace(_ function: String) -> Bool {
    let isGlue = ["reabstraction thunk ", "protocol witness for ", "merged "].contains {
      function.hasPrefix($0)
    }
    // Prefixes of this package's C functions and of Swift's runtime, in C and in C++.
    let isRuntime = ["csb_", "csd_", "swift_", "_swift_", "_ZN5swift", "_ZNK5swift"].contains {
      function.hasPrefix($0)
    }
    if isGlue || isRuntime { return false }
    if function.hasPrefix("__libc_start_") || function == "start_thread" || function == "_start"
      || function.hasPrefix("clone")
    {
      return false
    }
    let module = module(of: function)
    // Here, a C function counts as a module. The optimizer names the common body of several
    // functions after one of them and appends letters.
    let name = module.hasSuffix("Tm") ? module.dropLast(2) : module
    return !ours.contains(module) && !interface.contains(name)
  }

  /// The module of a function: "closure #1 () -> () in static Shop.sell() ->
  /// ()" is in Shop.
  private static func module(of function: String) -> Substring {
    var name = function[...]
    for word in [" in ", " of ", " for "] {
      if let end = name.endOfLastPlace(of: word) { name = name[end...] }
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
