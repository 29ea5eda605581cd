// HeardSignals — a signal source, and what its handler received.

import Glibc
import SignalboxDispatch
import SignalboxTestSupport

struct HeardSignals {
  let source: any DispatchSourceSignal
  /// The data of each call of the handler.
  let told = EventLog<UInt>()
  /// The sum of the data of all calls.
  let sum = EventCounter("signals told")

  init(_ signal: Int32, queue: DispatchQueue? = nil, active: Bool = true) {
    source = DispatchSource.makeSignalSource(signal: signal, queue: queue)
    source.setEventHandler { [told, sum, weak sourceObject = source as? DispatchSource] in
      let data = sourceObject?.data ?? 0
      told.append(data)
      for _ in 0..<data { sum.increment() }
    }
    if active { source.activate() }
  }

  /// Cancels the source and waits for its cancel handler.
  func cancel() throws {
    let done = EventCounter("cancel handlers")
    source.setCancelHandler { done.increment() }
    source.cancel()
    try done.wait(for: 1)
  }
}
