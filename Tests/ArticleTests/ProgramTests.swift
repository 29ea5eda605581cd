// The documents' programs, run as programs.

import SignalboxTestSupport
import Testing

/// What the program of "Errors in threads" prints.
// block: ErrorsInThreads/said
private let imported = """
  b.txt was skipped
  the import has stopped: DiskFull()
  2 files were imported
  """
// end

@Suite("Whole programs of the documents") struct ProgramTests {
  @Test(arguments: [
    ("hello", "1\n4\n9\n16\n25\ndone\n"), ("serve", "served, adopted: true\n"),
    ("show", "loaded\nshown\n"), ("import", imported + "\n"),
    ("upload", "DiskFull(): try again?\nDiskFull(): try again?\n"),
  ])
  func printsWhatTheDocumentSays(program: String, output: String) throws {
    let outcome = try ChildProgram("ArticleProgram").run([program])
    #expect(outcome.exit == .code(0))
    #expect(outcome.standardOutput == output)
    #expect(outcome.standardError == "")
  }
}
