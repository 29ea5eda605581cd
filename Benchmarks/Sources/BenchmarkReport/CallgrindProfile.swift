/// What callgrind's output file says about the whole run.
///
/// Allocations are counted as calls of the C library's allocator, so that the
/// measured programs need no counting allocator of their own.
public struct CallgrindProfile: Equatable, Sendable {
  public private(set) var instructions = 0
  public private(set) var allocations = 0

  private static let allocators: Set<Substring> = [
    "malloc", "calloc", "realloc", "reallocarray", "posix_memalign", "aligned_alloc", "memalign",
  ]

  /// `nil` if the text has no total, as when the run was broken off.
  public init?(_ text: String) {
    // A function's name is written once, `(12) malloc`, and is `(12)` after.
    var names: [Substring: Substring] = [:]
    func name(_ value: Substring) -> Substring {
      guard value.first == "(", let end = value.firstIndex(of: ")") else { return value }
      let number = value[...end]
      let spelled = value[end...].dropFirst().drop { $0 == " " }
      if !spelled.isEmpty { names[number] = spelled }
      return names[number] ?? number
    }

    var caller: Substring = ""
    var callee: Substring = ""
    var hasTotal = false
    for line in text.split(separator: "\n") {
      if line.hasPrefix("fn=") {
        caller = Self.plain(name(line.dropFirst(3)))
      } else if line.hasPrefix("cfn=") {
        callee = Self.plain(name(line.dropFirst(4)))
      } else if line.hasPrefix("calls=") {
        // `calls=COUNT TARGET-LINE`. An allocator that calls another counts once.
        guard Self.allocators.contains(callee), !Self.allocators.contains(caller) else { continue }
        allocations += line.dropFirst(6).prefix { $0.isNumber }.asInteger
      } else if line.hasPrefix("totals:") || line.hasPrefix("summary:") && !hasTotal {
        instructions = line.drop { !$0.isNumber }.prefix { $0.isNumber }.asInteger
        hasTotal = true
      }
    }
    guard hasTotal else { return nil }
  }

  /// Without the `'2` that callgrind gives a recursive call.
  private static func plain(_ name: Substring) -> Substring { name.prefix { $0 != "'" } }
}

extension Substring {
  fileprivate var asInteger: Int { Int(self) ?? 0 }
}
