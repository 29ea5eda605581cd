// TraceFormat — in which form a trace is written, by a file's name.

package enum TraceFormat: Sendable, CaseIterable {
  /// As it was recorded.
  case raw
  case json
  case text
  case perfetto
  case page

  /// The format that the name of the file says; nil if it says none.
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
