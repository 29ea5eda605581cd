// OwnLocks — the program's own lock types, locks as parameters, and an extension of all locks.

import Foundation

struct Spy: NSLocking {
  let inner: NSLock
  let lines: Lines

  func lock() {
    lines.add("locked")
    inner.lock()
  }

  func unlock() {
    inner.unlock()
    lines.add("unlocked")
  }
}

final class Counted: NSLocking {
  private let inner = NSRecursiveLock()
  private(set) var taken = 0

  func lock() {
    inner.lock()
    taken += 1
  }

  func unlock() { inner.unlock() }
}

extension NSLocking {
  func twice(_ body: () -> Void) {
    for _ in 0..<2 { withLock(body) }
  }
}

@propertyWrapper struct Guarded<Value> {
  private final class Box { var value: Value; init(_ value: Value) { self.value = value } }
  private let box: Box
  private let lock = NSRecursiveLock()

  init(wrappedValue: Value) { box = Box(wrappedValue) }

  var wrappedValue: Value {
    get { lock.withLock { box.value } }
    nonmutating set { lock.withLock { box.value = newValue } }
  }
}

enum OwnLocks {
  static func guarded<Lock: NSLocking, Result>(by lock: Lock, _ body: () throws -> Result) rethrows
    -> Result
  {
    lock.lock()
    defer { lock.unlock() }
    return try body()
  }

  static func run() {
    let lines = Lines()
    let spy = Spy(inner: NSLock(), lines: lines)
    print(spy.withLock { 1 }, guarded(by: spy) { 2 })
    lines.show()
    let counted = Counted()
    counted.twice { print("within") }
    print(counted.taken)
    let all: [any NSLocking] = [NSLock(), NSRecursiveLock(), NSConditionLock(), NSCondition(), spy]
    for lock in all {
      lock.lock()
      lock.unlock()
      print(lock.withLock { "ran" })
    }
    let opened: any NSLocking = all[0]
    print(guarded(by: opened) { 4 })
    @Guarded var value = 5
    value += 1
    print(value)
  }
}
