// BarriersTests — the code of "Barriers".

import SignalboxDispatch
import SignalboxPatterns
import SignalboxTestSupport
import Testing

// block: Barriers/store
/// Names by number: many may look at once, one writes alone.
// SAFETY: `names` is written under a barrier of `queue`, and read in its other items.
final class Directory: @unchecked Sendable {
  private let queue = DispatchQueue(label: "org.example.directory", attributes: .concurrent)
  private var names: [Int: String] = [:]

  subscript(number: Int) -> String? {
    get { queue.sync { names[number] } }
    set { queue.async(flags: .barrier) { self.names[number] = newValue } }
  }
}
// end

@Suite("Barriers") struct BarriersTests {
  @Test func readersSeeWhatWasWrittenBefore() {
    // block: Barriers/use
    let directory = Directory()
    DispatchQueue.concurrentPerform(iterations: 50) { number in
      directory[number] = "name \(number)"
      _ = directory[number]  // what this thread has written is there
    }
    // end
    for number in 0..<50 { #expect(directory[number] == "name \(number)") }
  }

  @Test func isolatedDoesTheSame() {
    // block: Barriers/isolated
    let directory = Isolated<[Int: String]>([:])
    directory.write { $0[1] = "one" }
    let name = directory.read { $0[1] }
    // end
    #expect(name == "one")
  }

  @Test func onAGlobalQueueABarrierDelaysNoOtherItem() {
    // block: Barriers/global
    let gate = DispatchSemaphore(value: 0)
    let group = DispatchGroup()
    DispatchQueue.global().async(group: group) { gate.wait() }
    DispatchQueue.global().async(group: group, flags: .barrier) { gate.signal() }
    group.wait()  // the second ran beside the first
    // end
    #expect(group.wait(timeout: .now()) == .success)
  }
}
