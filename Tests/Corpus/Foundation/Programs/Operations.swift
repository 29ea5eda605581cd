// Operations — a subclass with its own `main`: started, cancelled, depended on, awaited.

import Foundation

enum Operations {
  // SAFETY: its own state is constant.
  final class Step: Operation, @unchecked Sendable {
    let lines: Lines
    let text: String

    init(_ text: String, _ lines: Lines) {
      self.text = text
      self.lines = lines
      super.init()
      name = "corpus.\(text)"
    }

    override func main() {
      if isCancelled { return lines.add("\(text): cancelled") }
      lines.add("\(text): executing \(isExecuting), finished \(isFinished)")
    }
  }

  static func state(_ operation: Operation) -> String {
    let words = [
      "ready": operation.isReady, "executing": operation.isExecuting,
      "finished": operation.isFinished, "cancelled": operation.isCancelled,
      "asynchronous": operation.isAsynchronous,
    ]
    return words.filter(\.value).map(\.key).sorted().joined(separator: " ")
  }

  static func run() {
    let lines = Lines()
    let plain = Operation()
    print(state(plain), "|", plain.name ?? "no name", plain.dependencies.count)
    print(plain.queuePriority == .normal, plain.qualityOfService == .default)
    plain.main()
    plain.start()
    print(state(plain))

    let step = Step("step", lines)
    print(step.name ?? "no name")
    step.completionBlock = { lines.add("completed") }
    print(step.completionBlock != nil)
    step.start()
    step.waitUntilFinished()
    sleep { lines.count == 2 }
    lines.show()
    print(state(step))
    print("the block is kept:", step.completionBlock != nil)
    cancelled(lines)
    dependent(lines)
    attributes()
  }

  static func cancelled(_ lines: Lines) {
    let step = Step("never", lines)
    step.cancel()
    print(state(step))
    step.completionBlock = { lines.add("completed all the same") }
    step.start()
    sleep { lines.count == 1 }
    lines.show()
    print(state(step))
    let queue = OperationQueue()
    let queued = Step("never either", lines)
    queued.cancel()
    queue.addOperation(queued)
    queued.waitUntilFinished()
    print(state(queued), lines.count)
  }

  static func dependent(_ lines: Lines) {
    let queue = OperationQueue()
    let other = OperationQueue()
    let first = Step("first", lines)
    let second = Step("second", lines)
    let third = Step("third", lines)
    third.addDependency(second)
    second.addDependency(first)
    print(third.dependencies.map { $0.name ?? "no name" }, state(third))
    let apart = Operation()
    apart.addDependency(first)
    apart.removeDependency(first)
    print(third.dependencies == [second], apart.dependencies.isEmpty)
    queue.addOperation(third)
    other.addOperation(second)
    print(state(second), "|", state(third))
    queue.addOperation(first)
    third.waitUntilFinished()
    lines.show()
    print(third.dependencies.count, state(third))
  }

  static func attributes() {
    let operation = Operation()
    for priority: Operation.QueuePriority in [.veryLow, .low, .normal, .high, .veryHigh] {
      operation.queuePriority = priority
      print(priority, operation.queuePriority.rawValue)
    }
    print(
      Operation.QueuePriority(rawValue: 4) == .high, Operation.QueuePriority(rawValue: 3) == nil)
    print(Operation.QueuePriority.high != .low, Operation.QueuePriority.low.hashValue != 0)
    var hasher = Hasher()
    Operation.QueuePriority.low.hash(into: &hasher)
    let classes: [QualityOfService] = [
      .background, .utility, .default, .userInitiated, .userInteractive,
    ]
    let values = classes.map { quality in
      operation.qualityOfService = quality
      return operation.qualityOfService.rawValue
    }
    print(values)
  }
}
