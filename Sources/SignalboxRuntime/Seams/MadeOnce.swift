// MadeOnce — what this module makes at its first use, for who forks to wait for.
//
// A static property whose value is not known to the compiler is made by the first thread that
// comes to it, with a lock of the Swift runtime's held; a child of a fork in the middle of that
// would wait for ever at its own first use. So whoever forks uses them all before.
//
// Invariants  I1  all are here: `lint-made-once` compares the list with what the compiler makes
//                 of the module, and refuses one that is missing.
//             I2  nothing here takes a lock, or waits, to be made.

import CSignalbox

enum MadeOnce {
  static func make() {
    makeWaits()
    makeWorkers()
    makeRecorder()
    makeForks()
  }

  private static func makeWaits() {
    waitForMaking(WaitRegistry.shared)
    waitForMaking(WaitLength.units)
    waitForMaking(LongWait.grace)
    waitForMaking(StuckWatch.watcher)
    waitForMaking(DeadlockReport.shared)
    waitForMaking(LockOrder.shared)
    waitForMaking(ReaderBlocks.first)
    waitForMaking(TypeName.lock)
  }

  private static func makeWorkers() {
    waitForMaking(CommonNodes.shared)
    waitForMaking(Starter.shared)
    waitForMaking(ProcessPriority.kept)
    waitForMaking(ThreadRefusal.open)
    waitForMaking(ThreadRefusal.said)
    waitForMaking(ThreadRegistry.shared)
    waitForMaking(ThreadEvents.shared)
    waitForMaking(MainThreadUse.isNoted)
  }

  private static func makeRecorder() {
    waitForMaking(ProbeSubscribers.shared)
    waitForMaking(TraceCapture.shared)
    waitForMaking(TraceLayout.magic)
    // A large table, for recordings that want it.
    if csb_trace_patience_load() != 0 { waitForMaking(TracePatience.shared) }
    waitForMaking(TraceTicker.word)
    waitForMaking(PlaceWords.ours)
  }

  private static func makeForks() {
    waitForMaking(Fork.rehearsed)
    waitForMaking(Fork.renewing)
  }
}

/// Waits for who is making `value`, or makes it, by being handed it.
@inline(never)
package func waitForMaking<T: ~Copyable>(_ value: borrowing T) {}
