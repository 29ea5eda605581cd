// Document — the texts the listings come from.

/// One of the documents.
struct Document: Sendable {
  let number: String
  let title: String

  static let all = [
    Document(number: "000", title: "GCD in depth, part 1 (Objective-C)"),
    Document(number: "001", title: "Grand Central Dispatch tutorial for Swift, part 1"),
    Document(number: "002", title: "The GCD handbook"),
    Document(number: "003", title: "GCD introduction"),
    Document(number: "004", title: "Threading guide"),
  ]
}

/// The code of document 000, in today's Swift. Each listing adds its part.
enum Document000 {}

/// The code of document 001. Each listing adds its part.
enum Document001 {}

/// The code of document 002. Each listing adds its part.
enum Document002 {}

/// The code of document 003. Each listing adds its part.
enum Document003 {}

/// The code of document 004. Each listing adds its part.
enum Document004 {}
