// QueueInfo — the engine's calls to the module that defines queues. The engine does not import it.
//
// The linker finds the called functions by name (see CSignalbox/queues.h). So a lock can report the
// queues of a thread without depending on queues.

import CSignalbox

extension ThreadStack {
  /// The queues that the thread is on, the innermost first: "on the queue …". Empty if it is on
  /// none. The caller holds the lock of the thread's wait record, and the thread waits.
  package var place: String {
    var words = ""
    withUnsafePointer(to: self) { stack in
      // SAFETY: the function reads the stack and writes the string, before it returns.
      withUnsafeMutablePointer(to: &words) { csb_queue_words(stack, $0) }
    }
    return words
  }
}
