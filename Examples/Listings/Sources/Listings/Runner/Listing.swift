// Listing — the runnable counterpart of one code listing of the documents.

/// One listing: what it is, and a body that runs it and checks its outcome.
struct Listing: Sendable {
  typealias Body = @Sendable (borrowing Story) throws -> Void

  /// Document and place in it: `000-11` is the eleventh listing of document 000.
  let number: String
  /// The heading in the document the listing stands under.
  let heading: String
  /// What the listing shows.
  let shows: String
  /// The outcome that is checked: the document's, where it states one.
  let outcome: String
  /// What is true instead, where the document is wrong or dated.
  let truth: String?
  /// The rows of the requirements the listing belongs to.
  let rows: [String]
  /// Code that must not run here: it ends its process with a report, or is about
  /// the process's end or what the library says on its console. It runs in a child.
  let fault: (@Sendable () -> Void)?
  let body: Body

  init(
    _ number: String, heading: String, shows: String, outcome: String, truth: String? = nil,
    rows: [String], fault: (@Sendable () -> Void)? = nil, body: @escaping Body
  ) {
    self.number = number
    self.heading = heading
    self.shows = shows
    self.outcome = outcome
    self.truth = truth
    self.rows = rows
    self.fault = fault
    self.body = body
  }

  /// The document the listing comes from: `000`.
  var document: String { String(number.prefix(3)) }
}
