// QueueThreadNames — names each worker after its queue in the kernel's list, for `top -H`,
// `perf` and a debugger, if the environment asks for it.
//
// This is not the default: naming the thread adds 0.6 µs to an item, and a short item takes
// 0.02 µs.
//
// SIGNALBOX_THREAD_NAMES  queues: name workers after queues. Not set: number workers.

import CSignalbox
import SignalboxRuntime

enum QueueThreadNames {
  /// Begins to name workers, for the rest of the process.
  fileprivate static func begin() {
    _ = ProbeSubscribers.shared.subscribe(to: [.itemStarted, .workerParked]) { event in
      guard let raw = csb_thread_self().pointee.worker else { return }
      // SAFETY: the calling thread's own worker.
      let worker = raw.assumingMemoryBound(to: Worker.self)
      let queue = event.kind == .itemStarted ? UnsafeRawPointer(bitPattern: event.object) : nil
      csb_thread_set_name(queue.flatMap(name) ?? worker.ownName)
    }
  }

  /// nil for a global queue, because any worker of the pool serves all global queues.
  private static func name(of queue: UnsafeRawPointer) -> String? {
    let facts = TraceQueues.facts(queue)
    return facts.kind == .global ? nil : shortened(facts.label)
  }

  /// As much of the end of the label as fits: `db.writer` for `org.example.db.writer`.
  package static func shortened(_ label: String) -> String {
    var rest = Substring(label)
    while rest.utf8.count > 15, let dot = rest.firstIndex(of: ".") {
      rest = rest[rest.index(after: dot)...]
    }
    return ThreadName.kernelForm(of: String(rest))
  }
}

/// `CSignalbox` calls this before `main` if `SIGNALBOX_THREAD_NAMES` is set.
@_cdecl("csb_thread_names_begin")
func beginThreadNames(_ wanted: UnsafePointer<CChar>) {
  let text = String(cString: wanted)
  guard text == "queues" else {
    return warn("SIGNALBOX_THREAD_NAMES=\(text) is ignored: it must be \"queues\".")
  }
  QueueThreadNames.begin()
}
