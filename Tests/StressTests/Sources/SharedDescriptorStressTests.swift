// SharedDescriptorStressTests — several read sources on one descriptor: one of them reads the
// bytes that woke the others.

import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Testing

let sharedDescriptorSubjects = [
  Subject("a read source reports no end while its peer is open", reportTheEndLast)
]

@Suite struct SharedDescriptorStressTests {
  @Test(arguments: sharedDescriptorSubjects) func holds(_ subject: Subject) throws {
    try subject.smoke()
  }
}

/// All sources are on one serial queue. The first one that runs reads everything, so the next
/// one finds nothing, or a byte that arrives just then. A handler interprets a `data` of 0 as
/// the end.
private func reportTheEndLast(_ random: inout SeededGenerator) throws {
  let ends = try Ends(Bool.random(using: &random) ? .pipe : .sockets)
  let queue = DispatchQueue(label: "org.signalbox.stress.shared")
  let bytes = Int.random(in: 5_000...10_000, using: &random)
  let longest = Int.random(in: 1...1_000, using: &random)
  let tracker = LeakTracker()
  let closings = Counter(), falseEnds = Counter(), otherCounts = Counter()
  let read = EventCounter("bytes read")
  let ended = EventCounter("sources that reported the end")
  let cancelled = EventCounter("cancel handlers")
  let sources = (0..<Int.random(in: 4...12, using: &random)).map { _ in
    let source = DispatchSource.makeReadSource(fileDescriptor: ends.input, queue: queue)
    let shared = Carried(source)
    let object = tracker.makeObject()
    source.setEventHandler {
      object.touch()
      let count = Int(shared.value.data)
      if count == 0 {
        if closings.value == 0 { falseEnds.increment() } else { ended.increment() }
      } else {
        // More bytes may have arrived since.
        let taken = ends.take(atMost: count).count
        if taken != count { otherCounts.increment() }
        for _ in 0..<taken { read.increment() }
      }
    }
    source.setCancelHandler { cancelled.increment() }
    source.activate()
    return shared
  }
  let generator = random.split()
  try runThreads(1) { _ in
    var random = generator
    var byte: UInt8 = 1
    for _ in 0..<bytes {
      // `Ends.put` makes six other system calls, between which no byte arrives.
      var count: Int
      // A full descriptor makes it wait, and other tests' signals may interrupt that.
      repeat { count = write(ends.output, &byte, 1) } while count < 0 && errno == EINTR
      if count != 1 { throw Broken("write: errno \(errno)") }
      dawdle(Int.random(in: 0...longest, using: &random))
    }
  }
  closings.increment()
  ends.closeOutput()
  try read.wait(for: bytes)
  try ended.wait(for: sources.count)
  for source in sources { source.value.cancel() }
  try cancelled.wait(for: sources.count)
  try tracker.waitUntilAllAreFreed()
  try agree(falseEnds.value, 0, "ends reported while the peer was open")
  try agree(otherCounts.value, 0, "events with another number of bytes")
  try agree(read.value, bytes, "bytes read")
  try agree(ended.value, sources.count, "ends reported")
}
