// FlaggedSync — flags other than that of a barrier, passed to `sync`.

import Dispatch

enum FlaggedSync {
  static func run() {
    let queue = DispatchQueue(label: "corpus.flags", attributes: .concurrent)
    let flags: [DispatchWorkItemFlags] = [
      .enforceQoS, [.barrier, .inheritQoS], .noQoS, .detached, .assignCurrentContext,
    ]
    print(flags.map { queue.sync(flags: $0) { "ran" } })
  }
}
