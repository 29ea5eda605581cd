// Two threads change a number, on a serial queue or each by itself.

import Dispatch
import Glibc
import Synchronization

let queue = DispatchQueue(label: "org.example.races")
let group = DispatchGroup()
// SAFETY: with "atOnce" it is not, which ThreadSanitizer is to report.
nonisolated(unsafe) var number = 0
let isAtOnce = CommandLine.arguments.last == "atOnce"

enum Meeting {
  private static let count = Atomic(0)

  /// Waits for the other thread, in no order that ThreadSanitizer could see.
  static func wait() {
    count.wrappingAdd(1, ordering: .relaxed)
    while count.load(ordering: .relaxed) < 2 { usleep(100) }
  }
}

for _ in 0..<2 {
  DispatchQueue.global().async(group: group) {
    Meeting.wait()
    for _ in 0..<1_000 {
      if isAtOnce { number += 1 } else { queue.sync { number += 1 } }
      _ = queue.sync { isAtOnce ? 0 : number }
    }
  }
}
group.wait()
print("number=\(isAtOnce ? 2_000 : number)")
