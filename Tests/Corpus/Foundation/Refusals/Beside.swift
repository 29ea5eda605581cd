// Beside — the toolchain's module imported beside the face: each name of both means neither.

// The first line is left as it is, the second is changed.
import Foundation  // stays
import Foundation

func beside(
  _ timer: Timer,  // refused by SignalboxFoundation: is ambiguous
  _ queue: OperationQueue,  // refused by SignalboxFoundation: is ambiguous
  _ dispatch: DispatchQueue  // refused by SignalboxFoundation: is ambiguous
) {
  let lock = NSLock()  // refused by SignalboxFoundation: ambiguous use of 'init
  _ = lock
  Thread.sleep(forTimeInterval: 0)  // refused by SignalboxFoundation: ambiguous use of
  _ = DispatchQueue(label: "a")  // refused by SignalboxFoundation: ambiguous use of 'init(label:
  _ = RunLoop.current  // refused by SignalboxFoundation: ambiguous use of 'current'
  RunLoop.main.perform {}  // refused by SignalboxFoundation: ambiguous use of 'main'
  _ = Date()
  _ = Data([1, 2, 3])
  _ = FileManager.default
}

// SAFETY: it has no state of its own.
class Own: Operation, @unchecked Sendable {}  // refused by SignalboxFoundation: is ambiguous
