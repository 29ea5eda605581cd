// Request — one line of a client: a number, a kind and an argument, with spaces between them.
//
// The answer is a line too: the request's number, its kind and the result. A connection's answers
// come in the order in which they are ready.

/// What a client may ask for, with the argument and the result.
enum Kind: String, CaseIterable, Sendable {
  /// A text; the same text.
  case echo
  /// A count; the sum of the squares of as many numbers, the request's number first.
  case work
  /// Milliseconds; the same number, not before they have passed. Or milliseconds and `cancel`;
  /// `cancelled`, at once.
  case later
  /// A count of steps; the first ticket of as many, which no other request gets, and how many
  /// reads found data that was half written, which is none.
  case lock
  /// A count; the sum of as many numbers, the request's number first.
  case task
  /// An exit status; that of a child which was to exit with it.
  case child
  /// A position and a length; the sum of these bytes of the file.
  case file
  /// As `task`.
  case operation
  /// Nothing; what the server counts: see `Counts`.
  case stats
}

struct Request: Sendable {
  let number: UInt64
  let kind: Kind
  let argument: String

  /// More than any client asks for.
  private static let largestCount = 10_000

  /// Returns nil for a line that is no request.
  init?(_ line: String) {
    let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard words.count >= 2, let number = UInt64(words[0]) else { return nil }
    guard let kind = Kind(rawValue: String(words[1])) else { return nil }
    self.number = number
    self.kind = kind
    argument = words.count == 3 ? String(words[2]) : ""
  }

  /// The argument as a count.
  var count: Int { min(max(Int(argument) ?? 0, 0), Request.largestCount) }
}
