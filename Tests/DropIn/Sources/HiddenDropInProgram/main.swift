// A program that defines Dispatch's functions and does not show them to its libraries: their
// Dispatch is the toolchain's. Each conversion that is its argument ends it. `sync` works.

import Dispatch
import Glibc
import SignalboxBridges
import SignalboxDispatch

switch CommandLine.arguments.dropFirst().first {
case "ourQueue": _ = Dispatch.DispatchQueue(SignalboxDispatch.DispatchQueue.global())
case "ourGroup": _ = Dispatch.DispatchGroup(SignalboxDispatch.DispatchGroup())
case "ourSemaphore": _ = Dispatch.DispatchSemaphore(SignalboxDispatch.DispatchSemaphore(value: 0))
case "theirQueue": _ = SignalboxDispatch.DispatchQueue(Dispatch.DispatchQueue.global())
case "theirMainQueue": _ = SignalboxDispatch.DispatchQueue(Dispatch.DispatchQueue.main)
case "theirGroup": _ = SignalboxDispatch.DispatchGroup(Dispatch.DispatchGroup())
case "sync":
  struct Failure: Error {}
  let queue = Dispatch.DispatchQueue(label: "org.example.theirs", attributes: .concurrent)
  var ran = 0
  for _ in 0..<2 { queue.sync { ran += 1 } }
  print(ran, queue.sync { "result" }, queue.sync(flags: .barrier) { 3.5 })
  do {
    try queue.sync(flags: []) { () throws in throw Failure() }
  } catch { print(error) }
  let group = Dispatch.DispatchGroup()
  for flags in [[], .barrier] as [Dispatch.DispatchWorkItemFlags] {
    queue.async(group: group, flags: flags) {}
  }
  group.wait()
default: exit(64)
}
