// SyncScenarios — every form of `sync` and `async` of the toolchain's class: what it returns and
// throws, what it keeps, and that nothing else runs meanwhile.

import Dispatch
import Glibc
import StockScenarios

private struct Failure: Error, Equatable { let number: Int }

/// A value that a function returns in memory of its caller.
private struct Large: Equatable {
  var numbers = (0, 1, 2, 3, 4, 5, 6, 7)
  static func == (left: Large, right: Large) -> Bool {
    left.numbers.0 == right.numbers.0 && left.numbers.7 == right.numbers.7
  }
}

func replacedMethods() {
  let queue = DispatchQueue(label: "org.example.replaced")
  var calls: [Bool] = []
  queue.sync { calls.append(isCalledByTheirs()) }
  calls.append(queue.sync { isCalledByTheirs() })
  calls.append(queue.sync(flags: .barrier) { isCalledByTheirs() })
  calls.append(queue.sync(flags: .enforceQoS) { isCalledByTheirs() })
  expect(calls == [false, false, false, false], "\(calls)")
  // The caller of an item's closure does not tell.
  let method =
    "$s8Dispatch0A5QueueC5async5group3qos5flags7executeyAA0A5GroupCSg_AA0A3QoSV"
    + "AA0A13WorkItemFlagsVyyYbXBtF"
  let found = dlsym(nil, method)
  expect(found != nil && !isTheirs(found.map { UnsafeRawPointer($0) }))
}

func asyncForms() {
  let groups = [nil, DispatchGroup()]
  let classes: [DispatchQoS] = [
    .unspecified, .background, .default, .userInteractive,
    DispatchQoS(qosClass: .unspecified, relativePriority: -1),
  ]
  let flags: [DispatchWorkItemFlags] = [[], .barrier, .enforceQoS, [.barrier, .noQoS], .detached]
  for queue in queues() {
    let ran = Shared(0)
    let all = DispatchGroup()
    for group in groups {
      for qos in classes {
        for flags in flags {
          all.enter()
          queue.async(group: group, qos: qos, flags: flags) {
            ran.change { $0 += 1 }
            all.leave()
          }
          all.enter()
          queue.async(group: group) {
            dispatchPrecondition(condition: .onQueue(queue))
            ran.change { $0 += 1 }
            all.leave()
          }
        }
      }
    }
    all.wait()
    for group in groups { group?.wait() }
    expect(ran.value == groups.count * classes.count * flags.count * 2, "\(queue.label)")
  }
  // A barrier is one, with a group and without.
  let queue = DispatchQueue(label: "org.example.forms", attributes: .concurrent)
  // SAFETY: changed by barriers only, which is what is tested.
  nonisolated(unsafe) var count = 0
  let group = DispatchGroup()
  for _ in 0..<500 {
    queue.async(group: group, flags: .barrier) { count += 1 }
    queue.async(flags: .barrier) { count += 1 }
    queue.async(qos: .userInitiated, flags: .barrier) { count += 1 }
  }
  group.wait()
  expect(queue.sync(flags: .barrier) { count } == 1_500)
}

func asyncReferences() {
  final class Object: Sendable {
    let freed: Shared<Int>
    init(_ freed: Shared<Int>) { self.freed = freed }
    deinit { freed.change { $0 += 1 } }
  }
  let freed = Shared(0)
  for _ in 0..<100 {
    // The item has the last references to its group and its queue.
    let group = DispatchGroup()
    let queue = DispatchQueue(label: "org.example.references")
    let object = Object(freed)
    queue.async(group: group) { _ = object }
    queue.async { [queue] in
      _ = object
      _ = queue
    }
    let ended = DispatchSemaphore(value: 0)
    group.notify(queue: queue) { ended.signal() }
    ended.wait()
  }
  // The last item of each queue may be freed a moment later than it ends.
  let deadline = DispatchTime.now() + 60
  while freed.value < 100 && DispatchTime.now() < deadline { sched_yield() }
  expect(freed.value == 100, "\(freed.value)")
}

/// Every kind of queue that a program can wait for.
private func queues() -> [DispatchQueue] {
  let target = DispatchQueue(label: "org.example.target")
  return [
    DispatchQueue(label: "org.example.serial"),
    DispatchQueue(label: "org.example.concurrent", attributes: .concurrent),
    DispatchQueue(label: "org.example.above", target: target),
    DispatchQueue(label: "org.example.both", attributes: .concurrent, target: target),
    .global(), .global(qos: .background), .main,
  ]
}

func syncResults() {
  let flags: [DispatchWorkItemFlags?] = [
    nil, [], .barrier, .enforceQoS, .noQoS, [.barrier, .inheritQoS],
  ]
  for queue in queues() {
    for flags in flags {
      func sync<Result>(_ work: () throws -> Result) rethrows -> Result {
        guard let flags else { return try queue.sync(execute: work) }
        return try queue.sync(flags: flags, execute: work)
      }
      let what = "\(queue.label) \(String(describing: flags))"
      var ran = 0
      sync { ran += 1 }
      expect(ran == 1, what)
      expect(sync { 42 } == 42, what)
      expect(sync { Large() } == Large(), what)
      expect(sync { "a string that is too long for a register" }.count == 40, what)
      expect(sync { [1, 2, 3] as [Int]? } == [1, 2, 3], what)
      expect(sync { nil as Int? } == nil, what)
      do {
        try sync { throw Failure(number: ran) }
        expect(false, what)
      } catch { expect(error as? Failure == Failure(number: 1), what) }
      do {
        _ = try sync { () throws -> Large in throw Failure(number: 2) }
        expect(false, what)
      } catch { expect(error as? Failure == Failure(number: 2), what) }
    }
    var ran = 0
    queue.sync { ran += 1 }
    queue.sync(execute: DispatchWorkItem { expect(true) })
    expect(ran == 1, queue.label)
  }
}

func syncSpecifics() {
  let key = DispatchSpecificKey<String>()
  for queue in queues() where !queue.label.hasPrefix("com.apple.root") {
    queue.setSpecific(key: key, value: queue.label)
    expect(queue.sync { DispatchQueue.getSpecific(key: key) } == queue.label)
    var plain: String?
    queue.sync {
      dispatchPrecondition(condition: .onQueue(queue))
      plain = DispatchQueue.getSpecific(key: key)
    }
    expect(plain == queue.label)
  }
}

func syncReferences() {
  final class Object {
    let freed: Shared<Int>
    init(_ freed: Shared<Int>) { self.freed = freed }
    deinit { freed.change { $0 += 1 } }
  }
  let freed = Shared(0)
  var queue: DispatchQueue? = DispatchQueue(label: "org.example.references")
  for _ in 0..<10 {
    queue?.sync { _ = Object(freed) }
    _ = queue?.sync { Object(freed) }
    _ = queue?.sync(flags: .barrier) { [Object(freed)] }
    let kept = Object(freed)
    _ = try? queue?.sync { () throws -> Object in
      _ = kept
      throw Failure(number: 0)
    }
  }
  expect(freed.value == 40, "\(freed.value)")
  // The work gives up the program's last reference to the queue that it runs on.
  queue?.sync { queue = nil }
  expect(queue == nil)
  queue = DispatchQueue(label: "org.example.references")
  let result = queue?.sync {
    queue = nil
    return 1
  }
  expect(queue == nil && result == 1)
}

/// Each call costs one or two changes of thread, which take long beside other programs.
func syncExclusion() {
  let rounds = 200
  for isSerial in [true, false] {
    let queue = DispatchQueue(
      label: "org.example.exclusion", attributes: isSerial ? [] : .concurrent)
    let group = DispatchGroup()
    // SAFETY: changed by work that runs alone, which is what is tested.
    nonisolated(unsafe) var count = 0
    onThreads(4) { _ in
      for _ in 0..<rounds {
        queue.sync(flags: .barrier) { count += 1 }
        if isSerial {
          queue.sync { count += 1 }
          expect(
            queue.sync { () -> Bool in
              count += 1
              return true
            })
          try? queue.sync { () throws in
            count += 1
            throw Failure(number: count)
          }
        }
        queue.async(group: group, flags: .barrier) { count += 1 }
      }
    }
    group.wait()
    expect(queue.sync { count } == 4 * rounds * (isSerial ? 5 : 2))
  }
}

/// Ends the program.
func end(by misuse: StockMisuse) {
  let queue = DispatchQueue(label: "org.example.self")
  queue.sync {}
  switch misuse {
  case .syncWithinItself: queue.sync { queue.sync {} }
  case .resultWithinItself: expect(queue.sync { queue.sync { 1 } } == 1)
  case .barrierWithinItself: queue.sync { queue.sync(flags: .barrier) {} }
  }
}
