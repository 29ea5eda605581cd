// The documents' programs, run as programs.

import SignalboxTestSupport
import Testing

@Suite("Whole programs of the documents") struct ProgramTests {
  @Test(arguments: [
    ("hello", "The sum is 385.\n"), ("serve", "served, adopted: true\n"),
    ("show", "loaded\nshown\n"),
  ])
  func printsWhatTheDocumentSays(program: String, output: String) throws {
    let outcome = try ChildProgram("ArticleProgram").run([program])
    #expect(outcome.exit == .code(0))
    #expect(outcome.standardOutput == output)
    #expect(outcome.standardError == "")
  }
}
