// References — an object lives as long as it is referred to as any of its types, and is then freed.

import CDispatch
import CReferences
import Dispatch
import Glibc
import SignalboxBridges
import SignalboxDispatch

@Sendable func queuesAreFreed() {
  weak var freed: OurQueue?
  do {
    var theirs: [TheirQueue] = []
    do {
      let ours = OurQueue(label: "org.example.ours")
      freed = ours
      theirs = [TheirQueue(ours), TheirQueue(ours)]
    }
    expect(freed != nil)
    theirs.removeLast()
    // The last one that is left keeps the queue.
    expect(theirs[0].sync { freed != nil })
    expect(freed.map { OurQueue(theirs[0]) === $0 } == true)
  }
  expect(freed == nil)
  do {
    var ours: OurQueue?
    do {
      let theirs = TheirQueue(label: "org.example.theirs")
      ours = OurQueue(theirs)
      freed = ours
    }
    expect(ours!.sync { freed != nil })
    // C's references begin again after the last one.
    expect(TheirQueue(ours!).sync { freed != nil })
    ours = nil
  }
  expect(freed == nil)
}

@Sendable func queuesThatCMadeAreFreed() {
  weak var freed: OurQueue?
  do {
    let made: OpaquePointer = dispatch_queue_create("org.example.c", nil)
    let ours = OurQueue(handle: made)
    freed = ours
    release_for_c(made)
    let handle = ours.retainedHandle()
    expect(handle == made)
    retain_for_c(handle)
    release_for_c(handle)
    release_for_c(handle)
  }
  expect(freed == nil)
}

@Sendable func groupsAndSemaphoresAreFreed() {
  weak var group: SignalboxDispatch.DispatchGroup?
  weak var semaphore: SignalboxDispatch.DispatchSemaphore?
  do {
    var theirGroup: Dispatch.DispatchGroup?
    var theirSemaphore: Dispatch.DispatchSemaphore?
    do {
      let ours = (SignalboxDispatch.DispatchGroup(), SignalboxDispatch.DispatchSemaphore(value: 0))
      (group, semaphore) = ours
      theirGroup = Dispatch.DispatchGroup(ours.0)
      theirSemaphore = Dispatch.DispatchSemaphore(ours.1)
    }
    expect(group != nil && semaphore != nil)
    theirGroup!.wait()
    theirSemaphore!.signal()
  }
  expect(group == nil && semaphore == nil)
}

/// Threads convert one queue in both directions and drop what they got.
@Sendable func manyThreads() {
  weak var freed: OurQueue?
  do {
    let ours = OurQueue(label: "org.example.shared")
    freed = ours
    let theirs = TheirQueue(ours)
    let group = SignalboxDispatch.DispatchGroup()
    for _ in 0..<8 {
      OurQueue.global().async(group: group) {
        for _ in 0..<1_000 {
          expect(OurQueue(TheirQueue(ours)) === OurQueue(theirs))
          // The item may be what keeps the queue.
          TheirQueue(ours).async {}
        }
      }
    }
    group.wait()
    ours.sync {}
    _ = (ours, theirs)
  }
  // A worker may still be leaving the queue.
  while freed != nil { sched_yield() }
}
