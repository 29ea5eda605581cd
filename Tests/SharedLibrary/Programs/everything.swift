// Uses Dispatch, Foundation and tasks, and says on which threads.

import Dispatch
import Foundation

/// The names of the other threads. One that has just started has the program's name yet.
func threads() -> [String] {
  let folder = "/proc/self/task"
  let own = try? String(contentsOfFile: "\(folder)/\(getpid())/comm", encoding: .utf8)
  let numbers = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  return numbers.filter { $0 != "\(getpid())" }.compactMap {
    try? String(contentsOfFile: "\(folder)/\($0)/comm", encoding: .utf8)
  }.filter { $0 != own }
}

let queue = DispatchQueue(label: "org.example.everything")
// SAFETY: read and written on the queue.
nonisolated(unsafe) var sum = 0
for number in 0..<100 { queue.async { sum += number } }
print("items=\(queue.sync { sum })")
let operations = OperationQueue()
operations.addOperations((0..<10).map { _ in BlockOperation {} }, waitUntilFinished: true)
print("operations=\(operations.operationCount)")
Task.detached {
  let total = await withTaskGroup(of: Int.self) { group in
    for number in 0..<100 { group.addTask { number } }
    return await group.reduce(0, +)
  }
  print("tasks=\(total)")
  let names = threads()
  print("ours=\(!names.isEmpty && names.allSatisfy { $0.hasPrefix("sb-") })")
  await MainActor.run { exit(0) }
}
RunLoop.main.run()
