// NoRouteTests — a compiler with a runtime that we do not know how to reach.

import SignalboxConcurrency
import Testing

@Suite("Adoption by another compiler") struct NoRouteTests {
  @Test func theErrorNamesWhatIsMissingAndNothingChanges() {
    let wasAdopted = SignalboxExecutors.isAdopted
    let error = #expect(throws: AdoptionError.self) {
      try SignalboxExecutors.adopt(by: NoRoute.self)
    }
    let text = error.map { "\($0)" } ?? ""
    for words in ["stays on the toolchain's pool", "build this program with Swift 6.3"] {
      #expect(text.contains(words), "\(words)")
    }
    #expect(SignalboxExecutors.isAdopted == wasAdopted)
  }
}
