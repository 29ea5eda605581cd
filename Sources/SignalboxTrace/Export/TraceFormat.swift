// TraceFormat — the format of a trace file, by its name.

package enum TraceFormat: Sendable, CaseIterable {
  /// The recording itself.
  case raw
  case json
  case text
  case perfetto
  case page

  /// The format of a file name's extension; nil if the extension is unknown.
  package init?(path: String) {
    let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex,
      let format = TraceFormat.allCases.first(where: { $0.endings.contains(String(name[dot...])) })
    else { return nil }
    self = format
  }

  var endings: [String] {
    switch self {
    case .raw: [".sbtrace"]
    case .json: [".json"]
    case .text: [".txt"]
    case .perfetto: [".perfetto-trace", ".pftrace"]
    case .page: [".html"]
    }
  }

  static var endings: [String] { allCases.flatMap(\.endings) }
}
