// TraceJSON — a trace as JSON, for the page and for other programs.
//
// It writes column by column, so it needs no second copy of the trace. The
// output contains no "<", so it can go into a page's script element.

struct TraceJSON {
  private let trace: TraceModel

  init(_ trace: TraceModel) { self.trace = trace }

  func write(to output: inout ByteOutput) {
    output.put(#"{"format":"signalbox-story","version":1,"meta":"#)
    putMeta(&output)
    output.put(#","strings":"#)
    list(trace.strings, &output) { put($0, &$1) }
    output.put(#","threads":"#)
    list(trace.threads, &output) { thread, output in
      output.put(#"{"number":\#(thread.number),"name":\#(thread.name),"#)
      output.put(#""kernel":\#(thread.kernel),"role":"\#(thread.role)","#)
      output.put(#""began":\#(thread.began),"ended":\#(thread.ended)}"#)
    }
    output.put(#","queues":"#)
    list(trace.queues, &output) { queue, output in
      output.put(#"{"label":\#(queue.label),"kind":"\#(queue.kind)","target":\#(queue.target)}"#)
    }
    output.put(#","objects":"#)
    list(trace.objects, &output) { object, output in
      output.put(#"{"kind":"\#(object.kind)","name":\#(object.name)"#)
      output.put(object.isDescribed ? #","described":true}"# : "}")
    }
    putTables(&output)
    putAdvice(&output)
    output.put("}")
  }

  private func putAdvice(_ output: inout ByteOutput) {
    output.put(",\n\"advice\":")
    list(trace.advice, &output) { advice, output in
      output.put(#"{"kind":"#)
      put(advice.kind.words, &output)
      for (name, text) in [
        ("queue", advice.queue), ("finding", advice.finding), ("remedy", advice.remedy),
      ] {
        output.put(",\"\(name)\":")
        put(text, &output)
      }
      output.put(#","places":"#)
      list(advice.places, &output) { place, output in
        output.put(#"{"function":"#)
        put(place.function, &output)
        output.put(#","count":\#(place.count)}"#)
      }
      output.put("}")
    }
  }

  private func putMeta(_ output: inout ByteOutput) {
    let meta = trace.meta
    output.put(#"{"program":"#)
    put(meta.program, &output)
    output.put(#","pid":\#(meta.processID),"began":"\#(trace.began.text)","#)
    output.put(#""duration":\#(meta.duration),"processors":\#(meta.processors),"#)
    output.put(#""lostEvents":\#(meta.lostEvents),"lostNames":\#(meta.lostNames),"#)
    output.put(#""why":"\#(meta.cause.word)","notes":"#)
    list(meta.notes, &output) { put($0, &$1) }
    output.put("}")
  }

  private func putTables(_ output: inout ByteOutput) {
    let (items, waits, parked, timers) = (trace.items, trace.waits, trace.parked, trace.timers)
    let (steps, passes, holds) = (trace.steps, trace.passes, trace.holds)
    let (marks, gaps) = (trace.marks, trace.gaps)
    table("items", &output) { table, output in
      table.column("queue", items.queue, &output)
      table.column("submitted", items.submitted, &output)
      table.column("started", items.started, &output)
      table.column("finished", items.finished, &output)
      table.column("submitter", items.submitter, &output)
      table.column("runner", items.runner, &output)
      table.column("within", items.within, &output)
      table.column("flags", items.flags.lazy.map(\.rawValue), &output)
      table.column("qos", items.qos, &output)
      table.column("switches", items.switches, &output)
      table.column("preempted", items.preempted, &output)
      table.column("task", items.task, &output)
    }
    table("tasks", &output) { table, output in
      table.column("number", trace.tasks.number, &output)
      table.column("name", trace.tasks.name, &output)
    }
    table("waits", &output) { table, output in
      table.column("thread", waits.thread, &output)
      table.column("began", waits.began, &output)
      table.column("ended", waits.ended, &output)
      table.column("object", waits.object, &output)
      table.column("queue", waits.queue, &output)
      table.column("reason", waits.reason, &output)
      table.column("owner", waits.owner, &output)
      table.column("waker", waits.waker, &output)
      table.column("item", waits.item, &output)
      table.column("timedOut", waits.timedOut.lazy.map { $0 ? 1 : 0 }, &output)
    }
    table("parked", &output) { table, output in
      table.column("thread", parked.thread, &output)
      table.column("began", parked.began, &output)
      table.column("ended", parked.ended, &output)
    }
    table("timers", &output) { table, output in
      table.column("object", timers.object, &output)
      table.column("thread", timers.thread, &output)
      table.column("fired", timers.fired, &output)
      table.column("due", timers.due, &output)
      table.column("late", timers.late, &output)
    }
    table("steps", &output) { table, output in
      table.column("thread", steps.thread, &output)
      table.column("at", steps.at, &output)
      table.column("step", steps.step, &output)
      table.column("object", steps.object, &output)
    }
    table("passes", &output) { table, output in
      table.column("thread", passes.thread, &output)
      table.column("object", passes.object, &output)
      table.column("began", passes.began, &output)
      table.column("ended", passes.ended, &output)
    }
    table("holds", &output) { table, output in
      table.column("thread", holds.thread, &output)
      table.column("object", holds.object, &output)
      table.column("taken", holds.began, &output)
      table.column("left", holds.ended, &output)
    }
    table("marks", &output) { table, output in
      table.column("thread", marks.thread, &output)
      table.column("at", marks.at, &output)
      table.column("text", marks.text, &output)
    }
    putIntervals(&output)
    let operations = trace.operations
    table("operations", &output) { table, output in
      table.column("object", operations.object, &output)
      table.column("queued", operations.queued, &output)
      table.column("ready", operations.ready, &output)
      table.column("started", operations.started, &output)
      table.column("finished", operations.finished, &output)
      table.column("cancelled", operations.cancelled, &output)
      table.column("thread", operations.thread, &output)
      table.column("item", operations.item, &output)
    }
    let (drains, loops, turns) = (trace.drains, trace.loops, trace.turns)
    table("drains", &output) { table, output in
      table.column("thread", drains.thread, &output)
      table.column("queue", drains.queue, &output)
      table.column("began", drains.began, &output)
      table.column("ended", drains.ended, &output)
    }
    table("loops", &output) { table, output in
      table.column("thread", loops.thread, &output)
      table.column("iterations", loops.iterations.lazy.map { min($0, 1 << 53 - 1) }, &output)
      table.column("began", loops.began, &output)
      table.column("ended", loops.ended, &output)
      table.column("item", loops.item, &output)
    }
    table("turns", &output) { table, output in
      table.column("object", turns.object, &output)
      table.column("thread", turns.thread, &output)
      table.column("at", turns.at, &output)
      table.column("entry", turns.isEntry.lazy.map { $0 ? 1 : 0 }, &output)
    }
    table("gaps", &output) { table, output in
      table.column("thread", gaps.thread, &output)
      table.column("at", gaps.at, &output)
      table.column("lost", gaps.lost, &output)
    }
  }

  private func putIntervals(_ output: inout ByteOutput) {
    let intervals = trace.intervals
    table("intervals", &output) { table, output in
      table.column("name", intervals.name, &output)
      table.column("details", intervals.details, &output)
      table.column("number", intervals.number.lazy.map { min($0, 1 << 53 - 1) }, &output)
      table.column("thread", intervals.thread, &output)
      table.column("began", intervals.began, &output)
      table.column("ender", intervals.ender, &output)
      table.column("ended", intervals.ended, &output)
      table.column("item", intervals.item, &output)
      table.column("within", intervals.within, &output)
      table.column("flags", intervals.flags.lazy.map(\.rawValue), &output)
    }
  }

  /// Writes the columns of a table, separated by commas.
  private struct Table {
    var isFirst = true

    mutating func column(
      _ name: String, _ values: some Collection<some FixedWidthInteger>,
      _ output: inout ByteOutput
    ) {
      output.put(isFirst ? "\"\(name)\":[" : ",\"\(name)\":[")
      isFirst = false
      var isFirstValue = true
      for value in values {
        if !isFirstValue { output.put(UInt8(ascii: ",")) }
        isFirstValue = false
        output.put(number: value)
      }
      output.put(UInt8(ascii: "]"))
    }
  }

  private func table(
    _ name: String, _ output: inout ByteOutput,
    _ columns: (inout Table, inout ByteOutput) -> Void
  ) {
    output.put(",\n\"\(name)\":{")
    var table = Table()
    columns(&table, &output)
    output.put("}")
  }

  private func list<Element>(
    _ elements: [Element], _ output: inout ByteOutput,
    _ put: (Element, inout ByteOutput) -> Void
  ) {
    output.put("[")
    for (index, element) in elements.enumerated() {
      if index > 0 { output.put(UInt8(ascii: ",")) }
      put(element, &output)
    }
    output.put("]")
  }

  /// Writes a quoted string. Beyond what JSON requires, it escapes "<", which
  /// could end the page's script; the line separators that JSON allows and
  /// older scripts don't; and control characters.
  private func put(_ text: String, _ output: inout ByteOutput) {
    output.put(UInt8(ascii: "\""))
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": output.put("\\\"")
      case "\\": output.put("\\\\")
      case "<", "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
        let digits = String(scalar.value, radix: 16)
        output.put("\\u" + String(repeating: "0", count: 4 - digits.count) + digits)
      default: output.put(scalar.utf8)
      }
    }
    output.put(UInt8(ascii: "\""))
  }
}

extension TraceModel {
  /// The trace as JSON, in memory.
  package var json: [UInt8] {
    var output = ByteOutput()
    TraceJSON(self).write(to: &output)
    return output.bytes
  }
}
