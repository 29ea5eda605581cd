import CBenchmark

extension Subject {
  static let serialSync = Subject(
    name: "serial-sync",
    title: "uncontended `sync`, serial queue",
    goal: .ratio(0.20, required: true),
    measurement: .cost {
      let queue = DispatchQueue(label: "serial-sync")
      let tally = Tally()
      return { operations in
        for _ in 0..<operations { queue.sync { tally.value &+= 1 } }
        cbench_consume(UInt64(truncatingIfNeeded: tally.value))
      }
    })

  static let concurrentSync = Subject(
    name: "concurrent-sync",
    title: "uncontended `sync`, concurrent queue",
    goal: .ratio(0.20, required: true),
    measurement: .cost {
      let queue = DispatchQueue(label: "concurrent-sync", attributes: .concurrent)
      let tally = Tally()
      return { operations in
        for _ in 0..<operations { queue.sync { tally.value &+= 1 } }
        cbench_consume(UInt64(truncatingIfNeeded: tally.value))
      }
    })

  static let barrierSync = Subject(
    name: "barrier-sync",
    title: "uncontended `sync(flags: .barrier)`, concurrent queue",
    goal: .ratio(0.20, required: true),
    measurement: .cost {
      let queue = DispatchQueue(label: "barrier-sync", attributes: .concurrent)
      let tally = Tally()
      return { operations in
        for _ in 0..<operations { queue.sync(flags: .barrier) { tally.value &+= 1 } }
        cbench_consume(UInt64(truncatingIfNeeded: tally.value))
      }
    })

  static let syncIntResult = Subject(
    name: "sync-int-result",
    title: "uncontended `sync`, Int result",
    goal: .ratio(0.20, required: true),
    measurement: .cost {
      let queue = DispatchQueue(label: "sync-int-result")
      let tally = Tally()
      return { operations in
        for _ in 0..<operations {
          let value = queue.sync { tally.value }
          cbench_consume(UInt64(truncatingIfNeeded: value))
        }
      }
    })

  static let syncObjectResult = Subject(
    name: "sync-object-result",
    title: "uncontended `sync`, object result",
    goal: .ratio(0.20, required: true),
    measurement: .cost {
      let queue = DispatchQueue(label: "sync-object-result")
      let holder = TallyHolder()
      return { operations in
        for _ in 0..<operations {
          let tally = queue.sync { holder.tally }
          // SAFETY: only the address is looked at.
          cbench_consume_pointer(Unmanaged.passUnretained(tally).toOpaque())
        }
      }
    })
}

/// Keeps an object behind a variable, so that reading it is a real load and
/// retain.
private final class TallyHolder: @unchecked Sendable {
  // SAFETY: read within the queue only, never written.
  var tally = Tally()
}
