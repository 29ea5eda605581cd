// Backtrace — where a thread is: the functions on its stack, in words.
//
// Taking one costs a few microseconds and an array. The words are made when they are read,
// and cost more, because each file that contains code is searched for function names. They
// contain no source lines, which are only in debug information.

import CSignalbox

/// The functions that were on a thread's stack at one moment.
package struct Backtrace: Sendable {
  /// The functions' return addresses, innermost first.
  package let addresses: [UInt]

  package init(addresses: [UInt]) { self.addresses = addresses }

  /// How many functions to keep of a stack, which may be of any depth.
  package static let usualLimit = 48

  /// The backtrace of the calling thread.
  ///
  /// - Parameters:
  ///   - skipped: how many of the innermost functions to omit, besides this one.
  ///   - limit: how many functions to keep.
  @inline(never)
  package static func ofThisThread(
    skipping skipped: Int = 0, limit: Int = usualLimit
  ) -> Backtrace {
    // The unwinder's own functions are on the stack as well.
    let more = 4
    var addresses = [UInt](repeating: 0, count: limit + skipped + more)
    let count = csb_backtrace(&addresses, addresses.count)
    return Backtrace(addresses: Array(addresses[..<count].dropFirst(skipped).prefix(limit)))
  }

  /// A function on a stack.
  package struct Frame: Sendable {
    package let address: UInt
    /// The path of the file from which its code was loaded; empty if unknown.
    package let image: String
    /// Its name as written in Swift, or its symbol if it is not a Swift function; empty
    /// if unknown.
    package let function: String
    /// The distance of the address from the start of the function, or of the image if the
    /// function is unknown.
    package let offset: UInt

    /// The last part of the image's path.
    package var imageName: Substring {
      image[(image.lastIndex(of: "/").map(image.index(after:)) ?? image.startIndex)...]
    }
  }

  /// The functions, innermost first. Takes a few milliseconds for each file that contains
  /// them.
  package var frames: [Frame] {
    let symbols = Symbolizer(addresses)
    return addresses.map { Backtrace.frame($0, in: symbols) }
  }

  /// A function's name and its file, for a message. Takes a few milliseconds.
  package static func words(forFunctionAt address: UInt) -> String {
    // The look-up subtracts 1, because it expects a return address. So add 1 here.
    let frame = frame(address &+ 1, in: Symbolizer([address &+ 1]))
    if frame.image.isEmpty { return "a function at 0x\(String(address, radix: 16))" }
    return frame.function.isEmpty
      ? "a function in \(frame.imageName)" : "\(frame.function) in \(frame.imageName)"
  }

  /// `symbols` contains the address.
  package static func frame(_ address: UInt, in symbols: Symbolizer) -> Frame {
    let found = symbols[address]
    return Frame(
      address: address, image: found.image, function: words(for: found.symbol),
      offset: found.offset)
  }

  /// A symbol as written in Swift.
  package static func words(for symbol: String) -> String {
    if symbol.isEmpty { return symbol }
    let capacity = 2048
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { words in
      guard csb_demangle(symbol, words.baseAddress!, capacity) != 0 else { return symbol }
      return withoutFileMarks(String(cString: words.baseAddress!))
    }
  }

  /// Removes file marks: a private name comes as "(name in _1234ABCD)", with the number
  /// of its file.
  static func withoutFileMarks(_ words: String) -> String {
    var rest = words[...]
    var clean = ""
    while let mark = rest.firstPlace(of: " in _"),
      let begin = rest[..<mark.lowerBound].lastIndex(of: "("),
      let end = rest[mark.upperBound...].firstIndex(of: ")")
    {
      clean += rest[..<begin] + rest[rest.index(after: begin)..<mark.lowerBound]
      rest = rest[rest.index(after: end)...]
    }
    return clean + rest
  }

  // MARK: In reports

  /// One line for each function, for the end of a message. Omits the functions of this module and
  /// of `SignalboxDiagnostics` at the inner end, functions that the compiler put between two
  /// others, and functions that only start the thread or the program.
  package var lines: [String] {
    var frames = self.frames.drop { Backtrace.isOfTheEngine($0.function) }
    while let last = frames.last, Backtrace.isStarter(last.function) { frames.removeLast() }
    return frames.filter { !Backtrace.isBetween($0.function) }.map { frame in
      frame.function.isEmpty
        ? "\(frame.imageName) + \(frame.offset)" : "\(frame.function) + \(frame.offset)"
    }
  }

  package static func isBetween(_ function: String) -> Bool {
    [
      "protocol witness for ", "reabstraction thunk ", "partial apply ", "@objc closure ",
      "merged ",
    ].contains { function.hasPrefix($0) }
  }

  /// Whether it is a function of this module or of `SignalboxDiagnostics`, or the compiler
  /// derived it from one.
  private static func isOfTheEngine(_ function: String) -> Bool {
    var name = function[...]
    for word in [" in ", " of ", " for "] {
      if let end = name.endOfLastPlace(of: word) { name = name[end...] }
    }
    if name.hasPrefix("static ") { name = name.dropFirst("static ".count) }
    return ["SignalboxRuntime", "SignalboxDiagnostics"].contains { module in
      name == module || name.hasPrefix(module + ".")
    }
  }

  /// Whether the function starts a program or a thread in the C library. Most of these
  /// have no known name.
  private static func isStarter(_ function: String) -> Bool {
    function.isEmpty || function == "start_thread" || function.hasPrefix("clone")
      || function.hasPrefix("__libc_start_") || function == "_start"
  }
}
