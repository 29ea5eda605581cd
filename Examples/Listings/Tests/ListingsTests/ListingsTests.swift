import ChildProcess
import Glibc
import Testing

/// The counterparts, each run by the program as a user would run it.
@Suite struct ListingsTests {
  @Test(arguments: ListingsIndex.entries)
  func listingHasTheOutcomeItStates(_ entry: ListingsIndex.Entry) throws {
    let child = try ChildProcess.run(ListingsIndex.program, [entry.number])
    #expect(child.end == .exit(0), "\(child.standardOutput)\(child.standardError)")
    #expect(child.standardOutput.hasPrefix(entry.number))
    #expect(!child.standardOutput.contains("DOES NOT HOLD"))
  }

  @Test func unknownNumberIsRefused() throws {
    let child = try ChildProcess.run(ListingsIndex.program, ["000-99"])
    #expect(child.end == .exit(2))
    #expect(child.standardOutput.contains("usage"))
  }
}

/// The table of listings against the documents' index, the sources, the README.
@Suite struct TableTests {
  @Test func noNumberIsClaimedTwice() throws {
    let numbers = try ListingsIndex.claimed().map(\.number)
    #expect(Set(numbers).count == numbers.count)
    let indexed = ListingsIndex.entries.map(\.number)
    #expect(Set(indexed).count == indexed.count)
  }

  @Test func claimedListingsAreThoseOfTheIndexWithTheirRows() throws {
    let claimed = try ListingsIndex.claimed()
    #expect(claimed.map(\.number) == ListingsIndex.entries.map(\.number))
    for (claim, entry) in zip(claimed, ListingsIndex.entries) {
      #expect(claim.rows == entry.rows, "\(entry.number)")
    }
  }

  @Test func indexIsInTheOrderOfTheDocuments() {
    for (entry, next) in zip(ListingsIndex.entries, ListingsIndex.entries.dropFirst()) {
      #expect(entry.number < next.number)
      #expect(entry.document != next.document || entry.line < next.line)
    }
    for entry in ListingsIndex.entries {
      #expect(entry.number.hasPrefix("\(entry.document)-"))
    }
  }

  /// None of a document's listings is missing.
  @Test(arguments: [("000", 15), ("001", 11), ("002", 10), ("003", 8), ("004", 68)])
  func documentIsComplete(document: String, count: Int) {
    let numbers = ListingsIndex.entries.filter { $0.document == document }.map(\.number)
    #expect(numbers == (1...count).map { "\(document)-\($0 < 10 ? "0" : "")\($0)" })
  }

  /// The page says what each row stands for.
  @Test func everyRowIsARequirement() {
    let requirements = "\(ListingsIndex.package)/../../Documentation/Requirements.md"
    let explained = ListingsIndex.text(of: requirements).split(separator: "\n")
      .filter { $0.hasPrefix("| ") }
      .map { $0.dropFirst(2).prefix { $0 != " " } }
    let named = ListingsIndex.entries.flatMap { $0.rows.split(separator: ", ") }
    #expect(!named.isEmpty)
    #expect(Set(named).subtracting(explained) == [])
  }

  @Test func everyListingHasItsFile() {
    for entry in ListingsIndex.entries {
      let name = entry.number.replacing("-", with: "_")
      let path = "\(ListingsIndex.package)/Sources/Listings/\(entry.document)/Listing\(name).swift"
      #expect(access(path, R_OK) == 0, "\(path)")
    }
  }

  @Test func readmeHasTheTableTheProgramPrints() throws {
    let table = try ChildProcess.run(ListingsIndex.program, ["--table"]).standardOutput
    let readme = ListingsIndex.text(of: "\(ListingsIndex.package)/README.md")
    #expect(
      readme.contains(table), "the README's table is what `swift run Listings --table` prints")
  }
}
