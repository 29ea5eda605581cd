// ExportsTests — what a program can use that imports only SignalboxConcurrency.

import SignalboxConcurrency
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct ExportsTests {
  @Test func oneImportBringsTheQueues() async {
    let label: String = await withCheckedContinuation { continuation in
      let queue = DispatchQueue(label: "exported")
      queue.async { continuation.resume(returning: queue.label) }
    }
    #expect(label == "exported")
  }
}
