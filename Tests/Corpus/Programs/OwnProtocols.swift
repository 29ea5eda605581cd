// OwnProtocols — protocols of a program's own, for which queues, groups and items stand in.

import Dispatch

protocol Submitting {
  var label: String { get }
  func async(
    group: DispatchGroup?, qos: DispatchQoS, flags: DispatchWorkItemFlags,
    execute work: @escaping @Sendable @convention(block) () -> Void)
  func async(execute workItem: DispatchWorkItem)
  func asyncAfter(
    deadline: DispatchTime, qos: DispatchQoS, flags: DispatchWorkItemFlags,
    execute work: @escaping @Sendable @convention(block) () -> Void)
  func asyncAfter(
    wallDeadline: DispatchWallTime, qos: DispatchQoS, flags: DispatchWorkItemFlags,
    execute work: @escaping @Sendable @convention(block) () -> Void)
  func sync<T>(execute work: () throws -> T) rethrows -> T
  func sync<T>(flags: DispatchWorkItemFlags, execute work: () throws -> T) rethrows -> T
}
extension DispatchQueue: Submitting {}

protocol Notifying {
  func notify(
    qos: DispatchQoS, flags: DispatchWorkItemFlags, queue: DispatchQueue,
    execute work: @escaping @convention(block) () -> Void)
  func wait()
}
extension DispatchGroup: Notifying {}
extension DispatchWorkItem: Notifying {}

protocol Waiting {
  func wait(timeout: DispatchTime) -> DispatchTimeoutResult
  func wait(wallTimeout: DispatchWallTime) -> DispatchTimeoutResult
}
extension DispatchSemaphore: Waiting {}
extension DispatchGroup: Waiting {}
extension DispatchWorkItem: Waiting {}

enum OwnProtocols {
  static func run() {
    let queue = DispatchQueue(label: "corpus.protocols")
    let submitting: any Submitting = queue
    let lines = Lines()
    let done = DispatchSemaphore(value: 0)
    submitting.async(group: nil, qos: .utility, flags: []) { lines.add("async") }
    submitting.asyncAfter(deadline: .now(), qos: .utility, flags: []) { done.signal() }
    done.wait()
    submitting.asyncAfter(wallDeadline: .now(), qos: .utility, flags: []) { done.signal() }
    done.wait()
    print(submitting.label, submitting.sync { 1 }, submitting.sync(flags: .barrier) { 2 })
    lines.show()

    let group = DispatchGroup()
    let item = DispatchWorkItem { lines.add("item") }
    let members: [any Notifying] = [group, item]
    for member in members {
      member.notify(qos: .unspecified, flags: [], queue: queue) {
        lines.add("told")
        done.signal()
      }
    }
    submitting.async(execute: item)
    done.wait()
    done.wait()
    lines.show(sorted: true)
    let waiting: [any Waiting] = [done, group]
    print(waiting.map { $0.wait(timeout: .now()) == .success })
    print(waiting.map { $0.wait(wallTimeout: .now()) == .success })

    // Blocks are values, too.
    let block: @Sendable @convention(block) () -> Void = { lines.add("block") }
    queue.async(execute: block)
    queue.async(group: group, execute: block)
    DispatchWorkItem(block: block).perform()
    group.wait()
    queue.sync {}
    lines.show()
  }
}
