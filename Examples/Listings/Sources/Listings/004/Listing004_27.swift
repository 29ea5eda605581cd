import Glibc
import SignalboxDispatch
import SignalboxRunLoop

extension Listing {
  static let number004_27 = Listing(
    "004-27", heading: "Input sources: perform",
    shows: "perform in the background",
    outcome: "a new thread is started for it",
    truth: "a thread for each: many short ones are better as items of a queue",
    rows: ["T5", "T1"]
  ) { story in
    let threads = Cell<[UInt]>([])
    let onMain = Cell(0)
    let meeting = Rendezvous(of: 2)
    let hasRun = DispatchSemaphore(value: 0)
    for _ in 1...2 {
      Thread.performInBackground {
        threads.withValue { $0.append(Place.thread) }
        if Place.isMainThread { onMain.withValue { $0 += 1 } }
        meeting.arrive()
        hasRun.signal()
      }
    }
    for _ in 1...2 { hasRun.wait() }
    story.check(Set(threads.value).count, is: 2, "two performs run side by side, on two threads")
    story.check(!threads.value.contains(Place.thread), "neither of which is the caller's")
    story.check(onMain.value, is: 0, "or main")

    // Two hundred short ones, each of which tells the kernel's name of its thread.
    let ofPerforms = Cell<Set<String>>([])
    let ofItems = Cell<Set<String>>([])
    let group = DispatchGroup()
    let queue = DispatchQueue(label: "org.signalbox.listings.004-27")
    for _ in 0..<200 {
      group.enter()
      Thread.performInBackground {
        ofPerforms.withValue { _ = $0.insert(Document004.kernelThread()) }
        group.leave()
      }
      queue.async(group: group) {
        ofItems.withValue { _ = $0.insert(Document004.kernelThread()) }
      }
    }
    group.wait()
    story.tell(
      "200 performs on \(ofPerforms.value.count) threads, 200 items on \(ofItems.value.count)")
    story.check(ofPerforms.value.count, is: 200, "two hundred performs make two hundred threads")
    story.check(ofItems.value.count < 100, "two hundred items of a queue share a few")
  }
}

extension Document004 {
  /// The calling thread as the kernel numbers it. Unlike `Place.thread`, which is an address, a
  /// later thread does not soon have the same.
  fileprivate static func kernelThread() -> String {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = bytes.withUnsafeMutableBytes { bytes in
      readlink("/proc/thread-self", bytes.baseAddress!, bytes.count)
    }
    return String(decoding: bytes[..<max(0, count)], as: UTF8.self)
  }
}
