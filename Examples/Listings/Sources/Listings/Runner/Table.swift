// Table — the table of the README.

enum Table {
  /// One Markdown table for each document.
  static func markdown() -> String {
    var text = ""
    for document in Document.all {
      let listings = Listing.all.filter { $0.document == document.number }
      text += "\n### \(document.number): \(document.title)\n\n"
      text += "| number | heading | shows | outcome checked | rows |\n"
      text += "| --- | --- | --- | --- | --- |\n"
      for listing in listings {
        let outcome =
          listing.outcome + (listing.truth.map { ". In truth: \($0)" } ?? "")
        let columns = [
          listing.number, listing.heading, listing.shows, outcome,
          listing.rows.joined(separator: ", "),
        ]
        text += "| \(columns.joined(separator: " | ")) |\n"
      }
    }
    return text
  }
}
