// StackNames — the stacks of threads in words.

/// A function on a stack.
package struct SeenFrame {
  let address: UInt64
  /// nil if the file has no name for it.
  let function: String?
  /// The last part of the file's path, and the distance from its beginning; empty if no file is there.
  let file: String
  let offset: UInt64
  /// The build ID of the file, if it has no name for the function.
  let buildID: String?
  /// The line that the function executes, or from which it called the next one; nil if the file
  /// does not say.
  let source: SourceLine?

  var words: String { place + (source.map { " (\($0.words))" } ?? "") }

  private var place: String {
    function.map { file.isEmpty ? $0 : "\($0) in \(file)" }
      ?? (file.isEmpty
        ? "0x\(String(address, radix: 16))" : "\(file) + 0x\(String(offset, radix: 16))")
  }

  /// Whether the compiler has put it between two other functions.
  fileprivate var isBetween: Bool {
    let marks = [
      "protocol witness for ", "reabstraction thunk ", "partial apply ", "@objc closure ",
      "merged ",
    ]
    return function.map { function in marks.contains { function.hasPrefix($0) } } ?? false
  }

  /// Whether it is a function of Signalbox or of Swift's library, or the compiler derived it from one.
  fileprivate var isOfLibrary: Bool {
    guard var name = function?[...] else { return false }
    for mark in [" in ", " of ", " for "] {
      if let end = name.ranges(of: mark).last?.upperBound { name = name[end...] }
    }
    if name.hasPrefix("static ") { name = name.dropFirst("static ".count) }
    return ["Signalbox", "Swift.", "csb_", "swift_"].contains { name.hasPrefix($0) }
  }

  /// Whether it starts a thread or the program.
  fileprivate var isStarter: Bool {
    guard let function else { return false }
    return function == "start_thread" || function == "_start" || function.hasSuffix("main")
      || function.hasPrefix("clone") || function.hasPrefix("__libc_start_")
  }
}

extension [SeenFrame] {
  /// The functions of the program, for the lines of a report. If most functions have no name, as in
  /// a program without symbols, the functions without a name.
  var shown: [SeenFrame] {
    let named = filter { $0.function != nil }
    let own =
      2 * named.count < count
      ? filter { $0.function == nil && !$0.file.isEmpty }
      : named.filter { !$0.isBetween && !$0.isOfLibrary && !$0.isStarter }
    return Array(own.prefix(Limits.framesShown))
  }
}

extension [Int32: [SeenFrame]] {
  /// A sentence for each file whose functions a report shows without names.
  var namelessFiles: [String] {
    var words: [String: String] = [:]
    for frame in values.flatMap(\.shown) where frame.function == nil {
      words[frame.file] = frame.buildID.map { "build ID \($0)" } ?? "no build ID"
    }
    return words.sorted { $0.key < $1.key }.map { file, identity in
      "the names of some functions of \(file) (\(identity)) were not found: with --symbols FILE "
        + "they come from that file before it was stripped or replaced"
    }
  }
}

final class StackNames {
  private let files: CodeFiles

  /// Finds the names and lines for all addresses. Each file is looked through once.
  ///
  /// - Parameter open: opens the file, if it is certainly the one in memory.
  init(_ stacks: [[UInt64]], _ files: CodeFiles, open: (CodeFile) -> FileBytes?) {
    self.files = files
    var symbols: [UInt64: String] = [:]
    var places: [UInt64: (file: CodeFile, addresses: Set<UInt64>)] = [:]
    for stack in stacks {
      for (index, address) in stack.enumerated() {
        let place = address &- (index > 0 ? 1 : 0)
        guard let file = files.file(at: place) else { continue }
        places[file.start, default: (file, [])].addresses.insert(place)
      }
    }
    var lines: [UInt64: SourceLine] = [:]
    var budget = UInt64(Limits.lines)
    for (file, addresses) in places.values {
      guard let bytes = open(file), let sections = ELFSections(bytes) else { continue }
      let moved = addresses.map { $0 &- file.moved }
      let found = FunctionNames(bytes, sections)?.symbols(of: moved) ?? [:]
      for (address, symbol) in found { symbols[address &+ file.moved] = symbol.name }
      guard let source = SourceLines(bytes, sections), source.size <= budget else { continue }
      budget -= source.size
      let places = moved.map { LinePlace(address: $0, function: found[$0]?.start) }
      for (address, line) in source.lines(of: places) { lines[address &+ file.moved] = line }
    }
    words = symbols.mapValues { FunctionNames.words(for: $0) }
    self.lines = lines
    for (file, addresses) in places.values where addresses.contains(where: { symbols[$0] == nil }) {
      buildIDs[file.start] = files.image(of: file)?.buildID
    }
  }

  private let words: [UInt64: String]
  private let lines: [UInt64: SourceLine]
  /// Of the files that have no name for a function, by where they begin.
  private var buildIDs: [UInt64: String] = [:]

  /// The stacks by the threads' numbers.
  static func name(
    _ stacks: [(Int32, [UInt64])], _ files: CodeFiles, open: (CodeFile) -> FileBytes?
  ) -> [Int32: [SeenFrame]] {
    let names = StackNames(stacks.map(\.1), files, open: open)
    return Dictionary(
      stacks.map { ($0.0, names.frames($0.1)) }, uniquingKeysWith: { first, _ in first })
  }

  func frames(_ stack: [UInt64]) -> [SeenFrame] {
    stack.enumerated().map { index, address in
      let place = address &- (index > 0 ? 1 : 0)
      let file = files.file(at: place)
      let name = file?.path.split(separator: "/").last.map(String.init) ?? ""
      return SeenFrame(
        address: address, function: words[place],
        file: DisplayText.make(Array(name.utf8), isCut: false),
        offset: address &- (file?.start ?? 0),
        buildID: words[place] == nil ? file.flatMap { buildIDs[$0.start] } : nil,
        source: lines[place])
    }
  }
}
