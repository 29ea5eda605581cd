// Predicates — preconditions that hold.

import Dispatch

enum Predicates {
  static func run() {
    let queue = DispatchQueue(label: "corpus.predicates", attributes: .concurrent)
    let child = DispatchQueue(label: "corpus.predicates.child", target: queue)
    let other = DispatchQueue(label: "corpus.predicates.other")
    dispatchPrecondition(condition: .notOnQueue(queue))
    queue.sync { dispatchPrecondition(condition: .onQueue(queue)) }
    queue.sync(flags: .barrier) {
      dispatchPrecondition(condition: .onQueueAsBarrier(queue), file: #file, line: #line)
    }
    child.sync {
      dispatchPrecondition(condition: .onQueue(child))
      dispatchPrecondition(condition: .onQueue(queue))
      dispatchPrecondition(condition: .onQueue(.global()))
      dispatchPrecondition(condition: .onQueue(.main))
      dispatchPrecondition(condition: .notOnQueue(other))
    }
    let predicates: [DispatchPredicate] = [
      .onQueue(queue), .onQueueAsBarrier(queue), .notOnQueue(queue),
    ]
    for predicate in predicates {
      switch predicate {
      case .onQueue(let queue): print("on", queue.label)
      case .onQueueAsBarrier(let queue): print("on, as a barrier", queue.label)
      case .notOnQueue(let queue): print("not on", queue.label)
      }
    }
  }
}
