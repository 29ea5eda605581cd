// DeadlockReport — the trap at a deadlock, in one sentence.

import CSignalbox
import Synchronization

package enum DeadlockReport {
  /// Whether a thread has begun to speak: others that find the same cycle, or
  /// another one, at the same time sleep on.
  private static let isSpeaking = Atomic<Bool>(false)

  /// Ends the process, unless another thread is about to.
  static func trap(_ cycle: [DeadlockSearch.Step]) {
    // order: relaxed; only one thread gets `false`, nothing else hangs on it.
    if isSpeaking.exchange(true, ordering: .relaxed) { return }
    clientBug(sentence(cycle))
  }

  /// Thread by thread: who it is, where, what it waits for, and who holds that
  /// up. The threads stand still, so their records do too.
  static func sentence(_ cycle: [DeadlockSearch.Step]) -> String {
    var text = "deadlock: "
    for (index, step) in cycle.enumerated() {
      let next = cycle[(index + 1) % cycle.count].record
      if index == 0 { text += name(step.record) }
      if let wait = step.record.current {
        if !wait.place.isEmpty { text += ", \(wait.place)," }
        text += " waits \(wait.reason.words) \(wait.resource)"
      }
      text += ", \(step.hold.words) "
      if index + 1 == cycle.count {
        text += cycle.count == 1 ? "that thread itself" : "thread \(next.thread)"
      } else {
        text += name(next) + ", which"
      }
    }
    return text + ". " + (cycle.count == 1 ? "It can never go on. " : "None can ever go on. ")
      + "Submit with async what need not be waited for, or take the queues in the same order "
      + "everywhere."
  }

  private static func name(_ record: WaitRecord) -> String {
    ThreadName.of(record.thread, record.kernelID, isMain: record.isMain)
  }

  /// Ends the process because the calling thread waits for what it holds itself.
  package static func tell(ofItself resource: WaitResource) {
    let thread = csb_thread_number()
    clientBug(
      "deadlock: \(ThreadName.of(thread)) waits for \(resource.description), held by that thread "
        + "itself. It can never go on. Use a recursive lock where the same thread comes twice.")
  }
}
