import CBenchmark

extension Subject {
  static let userDataAdd = Subject(
    name: "user-data-add",
    title: "user data source: one of the additions that two threads make",
    goal: .ratio(0.60, required: false),
    leastOperations: 20_000,
    measurement: .cost {
      let merging = Merging()
      return { operations in merging.merge(operations) }
    })
}

/// A source into which two threads add, and whose handler counts to the end.
// SAFETY: `left` is set before the first addition of a sample, and then touched by the
// handler alone, which runs on one serial queue.
private final class Merging: @unchecked Sendable {
  private let source: any DispatchSourceUserDataAdd
  private let done = DispatchSemaphore(value: 0)
  private var left = 0

  init() {
    source = DispatchSource.makeUserDataAddSource(queue: DispatchQueue(label: "user-data-add"))
    source.setEventHandler { [unowned self] in
      left -= Int(source.data)
      if left == 0 { done.signal() }
    }
    source.resume()
  }

  func merge(_ operations: Int) {
    left = operations / 2 * 2
    onThreads(2) { [self] in
      for _ in 0..<operations / 2 { source.add(data: 1) }
    }
    done.wait()
  }
}
