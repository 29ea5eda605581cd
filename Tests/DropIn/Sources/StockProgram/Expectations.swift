// Expectations — how a scenario says what did not hold.

import Dispatch
import Foundation
import Glibc

/// Ends the program with the line of the call unless the condition holds.
func expect(_ holds: Bool, _ what: String = "", line: Int = #line, file: String = #fileID) {
  if holds { return }
  print("\(file):\(line) does not hold: \(what)")
  exit(1)
}

/// The kernel's names of this process's threads, without the first one's.
func threadNames() -> [String] {
  guard let folder = opendir("/proc/self/task") else { return [] }
  defer { closedir(folder) }
  var names: [String] = []
  while let entry = readdir(folder) {
    let number = withUnsafePointer(to: &entry.pointee.d_name) {
      $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
    guard let thread = Int32(number), thread != getpid() else { continue }
    guard let file = fopen("/proc/self/task/\(thread)/comm", "r") else { continue }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 64)
    guard fgets(&line, Int32(line.count), file) != nil else { continue }
    names.append(
      String(decoding: line.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init), as: UTF8.self))
  }
  return names
}

/// The same, once all names have the prefix; after a minute, whatever names there are. A thread
/// that has not begun yet has the name of the one that made it.
func threadNames(awaiting prefix: String) -> [String] {
  let end = DispatchTime.now() + .seconds(60)
  while true {
    let names = threadNames()
    if names.allSatisfy({ $0.hasPrefix(prefix) }) || DispatchTime.now() > end { return names }
    usleep(1_000)
  }
}

/// Runs the body on so many threads, with their numbers, and waits for all of them.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let group = DispatchGroup()
  for number in 0..<count {
    group.enter()
    Thread {
      body(number)
      group.leave()
    }.start()
  }
  group.wait()
}

/// A value that several threads change, one at a time.
final class Shared<Value: Sendable>: @unchecked Sendable {  // SAFETY: each use holds the mutex.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private var current: Value

  init(_ value: Value) {
    current = value
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  @discardableResult
  func change<Result>(_ body: (inout Value) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(&current)
  }

  var value: Value { change { $0 } }
}
