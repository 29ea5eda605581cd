// Backtrace — where a thread was: the functions that called each other, in words.
//
// To take one costs some microseconds and an array. The words are made when someone
// reads them, and cost more: each file that code lies in is searched for the
// function's name. There are no lines of source in it: these stand in the debug
// information, if there is any.

import CSignalbox

/// The functions that were on a thread's stack at one moment.
package struct Backtrace: Sendable {
  /// The addresses they return to, the innermost first.
  package let addresses: [UInt]

  package init(addresses: [UInt]) { self.addresses = addresses }

  /// As many functions as one keeps of a stack; it may be of any depth.
  package static let usualLimit = 48

  /// That of the calling thread.
  ///
  /// - Parameters:
  ///   - skipped: how many of the innermost functions to leave out, beside this one.
  ///   - limit: how many to keep.
  @inline(never)
  package static func ofThisThread(
    skipping skipped: Int = 0, limit: Int = usualLimit
  ) -> Backtrace {
    // The unwinder's own functions are on the stack too.
    let more = 4
    var addresses = [UInt](repeating: 0, count: limit + skipped + more)
    let count = csb_backtrace(&addresses, addresses.count)
    return Backtrace(addresses: Array(addresses[..<count].dropFirst(skipped).prefix(limit)))
  }

  /// A function on a stack.
  package struct Frame: Sendable {
    package let address: UInt
    /// The path of the file that its code was loaded from; empty if not known.
    package let image: String
    /// Its name as one reads it in Swift, or the symbol where it is not Swift's;
    /// empty if not known.
    package let function: String
    /// How far the address lies behind the function's beginning, or the image's
    /// where the function is not known.
    package let offset: UInt

    /// The last part of the image's path.
    package var imageName: Substring {
      image[(image.lastIndex(of: "/").map(image.index(after:)) ?? image.startIndex)...]
    }
  }

  /// What is known of each function, the innermost first. Some milliseconds for each file in
  /// which they lie.
  package var frames: [Frame] {
    let places = CodePlaces(addresses)
    return addresses.map { Backtrace.frame($0, in: places) }
  }

  /// A function's name and the file that it is in, for a message. Some milliseconds.
  package static func words(forFunctionAt address: UInt) -> String {
    // A frame's address is one that a call returns to.
    let frame = frame(address &+ 1, in: CodePlaces([address &+ 1]))
    if frame.image.isEmpty { return "a function at 0x\(String(address, radix: 16))" }
    return frame.function.isEmpty
      ? "a function in \(frame.imageName)" : "\(frame.function) in \(frame.imageName)"
  }

  private static func frame(_ address: UInt, in places: CodePlaces) -> Frame {
    let place = places[address]
    return Frame(
      address: address, image: place.image, function: words(for: place.symbol),
      offset: place.offset)
  }

  /// A symbol as one reads it in Swift.
  static func words(for symbol: String) -> String {
    if symbol.isEmpty { return symbol }
    let capacity = 2048
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { words in
      guard csb_demangle(symbol, words.baseAddress!, capacity) != 0 else { return symbol }
      return withoutFileMarks(String(cString: words.baseAddress!))
    }
  }

  /// A private name comes as "(name in _1234ABCD)", the number being that of its file.
  static func withoutFileMarks(_ words: String) -> String {
    var rest = words[...]
    var clean = ""
    while let mark = rest.firstRange(of: " in _"),
      let begin = rest[..<mark.lowerBound].lastIndex(of: "("),
      let end = rest[mark.upperBound...].firstIndex(of: ")")
    {
      clean += rest[..<begin] + rest[rest.index(after: begin)..<mark.lowerBound]
      rest = rest[rest.index(after: end)...]
    }
    return clean + rest
  }

  // MARK: In reports

  /// One line a function, for the end of a message. Left out are this module's own
  /// functions at the inner end, what the compiler put between two functions, and what
  /// only starts the thread or the program.
  package var lines: [String] {
    var frames = self.frames.drop { Backtrace.isOfTheRuntime($0.function) }
    while let last = frames.last, Backtrace.isStarter(last.function) { frames.removeLast() }
    return frames.filter { !Backtrace.isBetween($0.function) }.map { frame in
      frame.function.isEmpty
        ? "\(frame.imageName) + \(frame.offset)" : "\(frame.function) + \(frame.offset)"
    }
  }

  private static func isBetween(_ function: String) -> Bool {
    [
      "protocol witness for ", "reabstraction thunk ", "partial apply ", "@objc closure ",
      "merged ",
    ].contains { function.hasPrefix($0) }
  }

  /// Whether it is a function of this module, or one that the compiler made of one.
  private static func isOfTheRuntime(_ function: String) -> Bool {
    var name = function[...]
    for word in [" in ", " of ", " for "] {
      if let last = name.ranges(of: word).last { name = name[last.upperBound...] }
    }
    return name.hasPrefix("SignalboxRuntime.") || name.hasPrefix("static SignalboxRuntime.")
  }

  /// Whether it starts a program or a thread in the C library, where most of these
  /// have no name that is known.
  private static func isStarter(_ function: String) -> Bool {
    function.isEmpty || function == "start_thread" || function.hasPrefix("clone")
      || function.hasPrefix("__libc_start_") || function == "_start"
  }
}
