// ProbeTests — subscribers receive the events that they requested, and none after they have left.

import SignalboxDiagnostics
import SignalboxRuntime
import SignalboxTestSupport
import Testing

@Suite("Probes", .serialized, .guarded) struct ProbeTests {
  @Test func subscriberReceivesItsKindsUntilItUnsubscribes() {
    let log = EventLog<EventKind>()
    let marker = UnsafeRawPointer(bitPattern: 0x5157)!
    let address = UInt(bitPattern: marker)
    let id = ProbeSubscribers.shared.subscribe(to: [.drainBegan]) { event in
      if event.object == address { log.append(event.kind) }
    }
    Probe.drainBegan(marker)
    Probe.drainEnded(marker)
    Probe.drainBegan(marker)
    ProbeSubscribers.shared.unsubscribe(id)
    Probe.drainBegan(marker)
    #expect(log.all == [.drainBegan, .drainBegan])
  }
}
