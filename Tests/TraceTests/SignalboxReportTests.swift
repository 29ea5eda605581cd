// What a report says of the process.

import SignalboxDispatch
import SignalboxTestSupport
import SignalboxTrace
import Testing

@Suite struct SignalboxReportTests {
  @Test func namesTheSemaphoreThatAThreadWaitsFor() throws {
    let semaphore = DispatchSemaphore(value: 0)
    let thread = try PlainThread { semaphore.wait() }
    while !SignalboxReport.text.contains("for a signal of a semaphore made with 0") {
      letRealTimePass(.milliseconds(1))
    }
    semaphore.signal()
    try thread.join()
  }
}
