// QueueThreadNames — where the environment asks for it, a worker has the label of its queue as its
// name in the kernel's list: for `top -H`, `perf` and a debugger.
//
// Not always: naming the thread makes an item 0.6 µs longer, and a short one takes 0.02.
//
// SIGNALBOX_THREAD_NAMES  queues: as said. Not set: workers are numbered.

import CSignalbox

enum QueueThreadNames {
  /// From now on, for the rest of the process.
  fileprivate static func begin() {
    _ = ProbeSubscribers.shared.subscribe(to: [.itemStarted, .workerParked]) { event in
      guard let raw = csb_thread_self().pointee.worker else { return }
      // SAFETY: the calling thread's own worker.
      let worker = raw.assumingMemoryBound(to: Worker.self)
      let queue = event.kind == .itemStarted ? UnsafeRawPointer(bitPattern: event.object) : nil
      csb_thread_set_name(queue.flatMap(name) ?? worker.ownName)
    }
  }

  /// Nil for a global queue: a worker of the pool serves all of these.
  private static func name(of queue: UnsafeRawPointer) -> String? {
    let facts = TraceQueues.facts(queue)
    return facts.kind == .global ? nil : shortened(facts.label)
  }

  /// As much of the label's end as the kernel has room for: `db.writer` of `org.example.db.writer`.
  package static func shortened(_ label: String) -> String {
    var rest = Substring(label)
    while rest.utf8.count > 15, let dot = rest.firstIndex(of: ".") {
      rest = rest[rest.index(after: dot)...]
    }
    return ThreadName.kernelForm(of: String(rest))
  }
}

/// Called by `CSignalbox` before `main`, where `SIGNALBOX_THREAD_NAMES` is set.
@c(csb_thread_names_begin)
func beginThreadNames(_ wanted: UnsafePointer<CChar>) {
  let text = String(cString: wanted)
  guard text == "queues" else {
    return complain("SIGNALBOX_THREAD_NAMES=\(text) is ignored: it must be \"queues\"")
  }
  QueueThreadNames.begin()
}
