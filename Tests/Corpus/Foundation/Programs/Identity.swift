// Identity — objects as members of sets and keys of dictionaries, compared, and described.

import Foundation

enum Identity {
  static func run() {
    let first = BlockOperation {}
    let second = BlockOperation {}
    let operations: Set<Operation> = [first, second, first]
    print(operations.count, operations.contains(second), first == first, first != second)
    let names: [Thread: String] = [Thread.current: "the main thread"]
    print(names[Thread.mainThread] ?? "nobody")
    let queues: [OperationQueue: Int] = [OperationQueue(): 1, .main: 2]
    print(queues[.main] ?? 0, queues.count)
    let loops: Set<RunLoop> = [.current, .main]
    print(loops.count)
    let timer = Timer(timeInterval: 1000, repeats: false) { _ in }
    print(Set([timer]).contains(timer), [timer].firstIndex(of: timer) ?? -1)
    let locks: [AnyHashable] = [NSLock(), NSRecursiveLock(), NSCondition(), NSConditionLock()]
    print(Set(locks).count, first.hashValue == first.hashValue)
    print(locks[0] == AnyHashable(1), ObjectIdentifier(first) == ObjectIdentifier(second))
    for text in [
      first.description, timer.description, "\(Thread.current)", "\(OperationQueue.main)",
    ] {
      print(!text.isEmpty)
    }
    print(
      String(reflecting: type(of: first)).hasSuffix("BlockOperation"), type(of: timer) == Timer.self
    )
    print(NotificationQueue.default == NotificationQueue.default)
  }
}
