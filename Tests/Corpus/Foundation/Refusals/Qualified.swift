// Qualified — a type of the program's own with a name of ours, and the toolchain's named by its
// module.

import Foundation

struct Timer {
  var left = 3
}

func own(_ timer: Timer) -> Int { timer.left }

func qualified() {
  let timer = Foundation.Timer(timeInterval: 1, repeats: false) { _ in }
  RunLoop.main.add(timer, forMode: .default)  // refused by SignalboxFoundation: no exact matches
  let queue: OperationQueue
  queue = Foundation.OperationQueue()  // refused by SignalboxFoundation: cannot assign value
  queue.addOperation {}
  _ = queue.theirs  // refused by SignalboxFoundation: has no member 'theirs'
  _ = Foundation.OperationQueue().theirs
}

extension Foundation.OperationQueue {
  var theirs: Int { 1 }
}
