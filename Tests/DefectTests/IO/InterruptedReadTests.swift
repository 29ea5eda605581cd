// InterruptedReadTests — D21: a read that waits for a pipe is interrupted at once.

import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct InterruptedReadTests {
  @Test(arguments: 0..<3)
  func aStopEndsAReadThatWaits(_ kind: Int) throws {
    let ends = kind == 0 ? try Ends(.pipe) : kind == 1 ? try Ends(.sockets) : try Ends(.screen)
    let queue = DispatchQueue(label: "test.interrupted")
    let (log, cleanup) = (IOLog(), EventLog<Int32>())
    let channel = DispatchIO(type: .stream, fileDescriptor: ends.input, queue: queue) {
      cleanup.append($0)
    }
    channel.read(offset: 0, length: .max, queue: queue, ioHandler: log.handle)
    // The read waits in the kernel, not only in the queue.
    letRealTimePass(RealTime.settling)
    #expect(log.all.isEmpty)
    channel.close(flags: .stop)
    // The writing end stays open: only the stop can end the read.
    #expect(try log.wait() == [Told(true, nil, ECANCELED)])
    #expect(try cleanup.wait(forCount: 1) == [0])
    // The stopped read consumed nothing.
    ends.put([1, 2])
    #expect(ends.takeAll(2) == [1, 2])
  }
}
