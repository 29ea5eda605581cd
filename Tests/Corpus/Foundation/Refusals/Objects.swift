// Objects — what the classes of the toolchain can because they descend from NSObject.

import Foundation

// SAFETY: it has no state of its own.
final class Equal: Operation, @unchecked Sendable {
  override func isEqual(  // refused by SignalboxFoundation: does not override
    _ object: Any?
  ) -> Bool { true }
  override var hash: Int { 1 }  // refused by SignalboxFoundation: does not override
  override var debugDescription: String { "equal" }  // refused by SignalboxFoundation
  override var description: String { "equal" }
}

func objects(_ operation: Operation, _ thread: Thread, _ timer: Timer) {
  let object: NSObject = operation  // refused by SignalboxFoundation: cannot convert
  _ = object
  _ = [thread, timer] as [NSObject]  // refused by SignalboxFoundation: cannot convert
  _ = operation as Any as? NSObject
  _ = operation as AnyObject
  _ = NSArray(array: [operation, timer])
  _ = NSDictionary(object: operation, forKey: "operation" as NSString)
  _ = operation.isEqual(timer)
  _ = operation.hash
  _ = operation.copy()  // refused by SignalboxFoundation: has no member 'copy'
}

/// Components are arrays here; Foundation's mutable ones are taken, and passed on as such.
final class OwnPort: Port {
  override func send(  // refused by SignalboxFoundation: declared in extension of 'Port'
    before limitDate: Date, components: NSMutableArray?, from receivePort: Port?,
    reserved headerSpaceReserved: Int
  ) -> Bool { false }
}

final class OwnStream: InputStream {
  override func schedule(  // refused by SignalboxFoundation: declared in extension of 'Stream'
    in aRunLoop: RunLoop, forMode mode: RunLoop.Mode
  ) {}
}
