// Positions — the names of the types in every place where a type may occur.

import Foundation

typealias Job = BlockOperation
typealias Modes = [RunLoop.Mode]
typealias Handler = @Sendable (Timer) -> Void

protocol Scheduler {
  associatedtype Loop = RunLoop
  var loop: Loop { get }
  func schedule(_ timer: Timer, in modes: [RunLoop.Mode])
}

struct LoopScheduler: Scheduler {
  var loop: RunLoop { .current }
  func schedule(_ timer: Timer, in modes: [RunLoop.Mode] = [.default]) {
    for mode in modes { loop.add(timer, forMode: mode) }
  }
}

struct Weak<Object: AnyObject> { weak var object: Object? }
struct Pool<Worker: Thread> { var workers: [Worker] = [] }
enum Way { case thread(Thread), queue(OperationQueue), dispatch(DispatchQueue) }

extension Operation {
  convenience init(named name: String) {
    self.init()
    self.name = name
  }
  static func chain(_ operations: Operation...) {
    for (earlier, later) in zip(operations, operations.dropFirst()) { later.addDependency(earlier) }
  }
}

extension OperationQueue {
  static let corpus: OperationQueue = {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    return queue
  }()
}

extension Array where Element: Operation {
  var finished: Int { filter(\.isFinished).count }
}

extension Optional where Wrapped == OperationQueue {
  var called: String { self?.name ?? "none" }
}

enum Positions {
  static func limited(_ queue: OperationQueue? = nil, until date: Date = .distantFuture) -> String {
    queue.called
  }

  static func run() {
    let job: Job = Job { print("the job") }
    let modes: Modes = [.default, .common]
    print(modes.count, limited(), limited(.main) == "none")
    let first = Operation(named: "corpus.first")
    let ways: [Way] = [.thread(.current), .queue(.main), .dispatch(.main)]
    for way in ways {
      switch way {
      case .thread(let thread): print(thread.isMainThread)
      case .queue(let queue): print(queue === OperationQueue.main)
      case .dispatch(let queue): print(queue.label)
      }
    }
    Operation.chain(first, job)
    OperationQueue.corpus.addOperations([job, first], waitUntilFinished: true)
    print([job as Operation, first].finished, Pool(workers: [Thread.current]).workers.count)
    let any: Any = job
    switch any {
    case is Thread: print("a thread")
    case let operation as BlockOperation: print("a block operation", operation.isFinished)
    case is Operation: print("an operation")
    default: print("another")
    }
    let handler: Handler = { timer in timer.invalidate() }
    let timer = Timer(timeInterval: 1000, repeats: true, block: handler)
    LoopScheduler().schedule(timer, in: [.default, .common])
    timer.fire()
    print(timer.isValid, type(of: LoopScheduler().loop) == RunLoop.self)
    let path: KeyPath<Operation, Bool> = \.isFinished
    print(first[keyPath: path], first[keyPath: \Operation.name] ?? "no name")
    let makers: [() -> any NSLocking] = [NSLock.init, NSRecursiveLock.init, NSCondition.init]
    print(makers.map { $0().withLock { 1 } })
    let weakly = Weak(object: timer)
    unowned let sure = timer
    print(weakly.object === sure)
  }
}
