// HandOffTests — D35: ThreadSanitizer understands the library's hand-offs without help. `make tsan`
// runs these under it. `make mutate` shows that it reports a missing ordering.

import SignalboxTestSupport
import Testing

@Suite(.guarded, .serialized)
struct HandOffTests {
  static let names =
    (try? ChildProgram("HandOffs").run())?.standardOutput.split(separator: "\n") ?? []

  @Test func everyHandOffIsListed() {
    #expect(Self.names.count > 30)
  }

  @Test(arguments: names)
  func cleanProgramIsClean(_ name: Substring) throws {
    let outcome = try ChildProgram("HandOffs").run([String(name)])
    #expect(outcome.exit == .code(0), "\(outcome.standardError)")
    #expect(outcome.standardError.isEmpty, "\(outcome.standardError)")
  }
}
