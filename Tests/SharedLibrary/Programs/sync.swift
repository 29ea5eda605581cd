// Calls each form of `sync`, and says what it returned and whether the class's own method ran.

import Dispatch

struct Failure: Error {}

/// A generic function of the program's own, which hands its type on.
@inline(never) func result<T>(_ queue: DispatchQueue, _ work: () throws -> T) rethrows -> T {
  try queue.sync(execute: work)
}

@_cdecl("use_sync")
public func useSync() {
  let queue = DispatchQueue(label: "org.example.sync")
  var (count, theirs) = (0, [Bool]())
  for _ in 0..<100 { queue.async {} }
  for _ in 0..<2 {
    theirs = []
    queue.sync {
      count += 1
      theirs.append(isCalledByTheirs())
    }
    queue.sync(flags: .barrier) {
      count += 1
      theirs.append(isCalledByTheirs())
    }
    theirs.append(queue.sync { isCalledByTheirs() })
    theirs.append(result(queue) { isCalledByTheirs() })
  }
  print("count=\(count)")
  print("texts=\(result(queue) { ["a", "b"] }) \(queue.sync { "c" as Any })")
  do { try queue.sync { throw Failure() } } catch { print("thrown=\(error)") }
  do { print(try result(queue) { () throws -> (Int, String) in throw Failure() }) } catch {
    print("thrown=\(error)")
  }
  print("theirs=\(theirs)")
}

#if !LIBRARY
  @main struct Program {
    static func main() { useSync() }
  }
#endif
