// Workload+All — the workloads: a row or more of the page for each path of an item.

import CBenchmark
import Synchronization

extension Workload {
  static let all: [Workload] =
    [mailbox, deepMailbox, flood, concurrentFlood, spawn, groupFlood, hop, sync, syncShared, lock]
    + [
      Workload(.concurrentPerformEmpty, items: 50),
      Workload(.asyncAfterCancelled),
      Workload(.asyncAfterFired, title: "`asyncAfter`: submitted and fired", items: 5_000),
      Workload(.timerLife),
      firedTimers,
      Workload(.pipePingPong, items: 5_000),
    ]

  /// Items that may wait in total: so few that all of their nodes come from stocks.
  private static let usualBacklog = 4_096

  private static let mailbox = serial(
    name: "mailbox", title: "serial queue, `async` from outside", items: 20_000,
    backlog: usualBacklog)

  /// More items wait than there are nodes in stock.
  private static let deepMailbox = serial(
    name: "mailbox-deep", title: "serial queue, 16,384 items waiting", items: 32_768,
    backlog: 16_384)

  private static func serial(name: String, title: String, items: Int, backlog: Int) -> Workload {
    Workload(
      name: name, title: title, threads: [1, 2, 4, 8], items: items,
      work: .shared { threads in
        let queue = DispatchQueue(label: name)
        return { items in
          inBatches(items, of: backlog / threads) { batch in
            for number in 0..<batch {
              queue.async { cbench_consume(UInt64(truncatingIfNeeded: number)) }
            }
            queue.sync {}
          }
        }
      })
  }

  private static let flood = Workload(
    name: "flood", title: "global queue, `async` from outside", threads: [1, 2, 4, 8],
    work: .shared { threads in
      { items in submit(items, to: .global(), backlog: usualBacklog / threads) }
    })

  private static let concurrentFlood = Workload(
    name: "concurrent", title: "concurrent queue, `async` from outside", threads: [1, 2, 4, 8],
    work: .shared { threads in
      let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
      return { items in submit(items, to: queue, backlog: usualBacklog / threads) }
    })

  /// Each item submits two halves of its work.
  private static let spawn = Workload(
    name: "spawn", title: "global queue, `async` from its own items",
    work: .alone {
      let countdown = SpreadCountdown()
      @Sendable func halve(_ range: Range<Int>) {
        if range.count == 1 { return countdown.arrive(range.lowerBound) }
        let middle = range.lowerBound + range.count / 2
        DispatchQueue.global().async { halve(range.lowerBound..<middle) }
        DispatchQueue.global().async { halve(middle..<range.upperBound) }
      }
      // Half of the items of a tree are its leaves.
      return { items in
        countdown.expect(items / 2)
        halve(0..<items / 2)
        countdown.wait()
      }
    })

  private static let groupFlood = Workload(
    name: "group", title: "global queue, `async(group:)` from outside", threads: [1, 2, 4, 8],
    work: .shared { threads in
      { items in
        let group = DispatchGroup()
        inBatches(items, of: usualBacklog / threads) { batch in
          for number in 0..<batch {
            DispatchQueue.global().async(group: group) {
              cbench_consume(UInt64(truncatingIfNeeded: number))
            }
          }
          group.wait()
        }
      }
    })

  /// A hop there and one back are two items.
  private static let hop = Workload(
    name: "hop", title: "two serial queues, each item submits to the other one",
    work: .alone {
      let pair = HoppingPair()
      return { items in pair.hop(items / 2) }
    })

  private static let sync = Workload(
    name: "sync", title: "serial queue, `sync`", threads: [1, 2, 4, 8],
    work: .shared { _ in
      let queue = DispatchQueue(label: "sync")
      let tally = Tally()
      return { items in
        for _ in 0..<items { queue.sync { tally.value &+= 1 } }
      }
    })

  private static let syncShared = Workload(
    name: "sync-shared", title: "concurrent queue, `sync`", threads: [1, 2, 4, 8],
    work: .shared { _ in
      let queue = DispatchQueue(label: "sync", attributes: .concurrent)
      return { items in
        for number in 0..<items { queue.sync { cbench_consume(UInt64(number)) } }
      }
    })

  private static let lock = Workload(
    name: "lock", title: "`NSLock`, lock and unlock", threads: [1, 2, 4, 8],
    work: .shared { _ in
      let lock = NSLock()
      let tally = Tally()
      return { items in
        for _ in 0..<items { lock.withLock { tally.value &+= 1 } }
      }
    })

  private static let firedTimers = Workload(
    name: "timer-fired", title: "one-shot timer: made, fired, released", items: 2_000,
    work: .alone {
      let queue = DispatchQueue(label: "timer-fired")
      let countdown = Countdown()
      return { items in
        countdown.expect(items)
        let sources = (0..<items).map { number in
          let source = DispatchSource.makeTimerSource(queue: queue)
          source.setEventHandler { countdown.arrive() }
          source.schedule(deadline: .now() + .microseconds(10_000 + number * 10))
          source.resume()
          return source
        }
        countdown.wait()
        withExtendedLifetime(sources) {}
      }
    })

  /// Waits for the items without a lock or a counter that all of them share.
  @Sendable private static func submit(
    _ items: Int, to queue: DispatchQueue, backlog: Int
  ) {
    let countdown = SpreadCountdown()
    inBatches(items, of: backlog) { batch in
      countdown.expect(batch)
      for number in 0..<batch { queue.async { countdown.arrive(number) } }
      countdown.wait()
    }
  }
}
