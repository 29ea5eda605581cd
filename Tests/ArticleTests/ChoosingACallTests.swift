// ChoosingACallTests — the code of "async, after, barrier or sync".

import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite("Choosing a call") struct ChoosingACallTests {
  @Test func asyncByTypeOfQueue() throws {
    let done = EventCounter()
    let mainQueue = DispatchQueue(label: "stands for the main queue")
    let decode: @Sendable (Int) -> Int = { $0 * 2 }
    let show: @Sendable (Int) -> Void = { _ in done.increment() }
    let append: @Sendable (String) -> Void = { _ in done.increment() }
    // block: ChoosingACall/async
    // Your own serial queue runs items in order, one after the other, in the background.
    let journal = DispatchQueue(label: "org.example.journal")
    journal.async { append("opened") }

    // A concurrent queue runs work that needs no order. The main queue then shows the result.
    DispatchQueue.global(qos: .userInitiated).async {
      let picture = decode(21)
      mainQueue.async { show(picture) }
    }
    // end
    try done.wait(for: 2)
  }

  @Test func afterOnTheMainQueue() throws {
    let done = EventCounter()
    let mainQueue = DispatchQueue(label: "stands for the main queue")
    let showPrompt: @Sendable () -> Void = { done.increment() }
    // block: ChoosingACall/after
    let prompt = DispatchWorkItem { showPrompt() }
    mainQueue.asyncAfter(deadline: .now() + .milliseconds(20), execute: prompt)
    // prompt.cancel() cancels the item if it has not started.
    // end
    try done.wait(for: 1)
  }

  @Test func barrierOnAPrivateConcurrentQueue() {
    // block: ChoosingACall/barrier
    let store = DispatchQueue(label: "org.example.store", attributes: .concurrent)
    // SAFETY: written under a barrier of `store`, read in its items.
    nonisolated(unsafe) var entries = ["first"]

    store.async(flags: .barrier) { entries.append("second") }
    let count = store.sync { entries.count }
    // end
    #expect(count == 2)
  }

  @Test func syncForAnAnswer() {
    // block: ChoosingACall/sync
    let settings = DispatchQueue(label: "org.example.settings")
    // SAFETY: only touched on `settings`.
    nonisolated(unsafe) var values: [String: Int] = [:]

    settings.async { values["width"] = 80 }
    let width = settings.sync { values["width"] }
    // end
    #expect(width == 80)
  }
}
