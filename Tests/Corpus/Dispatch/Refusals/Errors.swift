// Errors — which closures may throw, and where that shows.

import Dispatch

struct Refused: Error {}

func errors(_ queue: DispatchQueue) throws {
  try queue.sync { throw Refused() }
  _ = try queue.sync(flags: .barrier) { () throws -> Int in throw Refused() }
  queue.sync { throw Refused() }  // refused
  _ = queue.sync { () throws -> Int in throw Refused() }  // refused
  queue.sync {}
}
