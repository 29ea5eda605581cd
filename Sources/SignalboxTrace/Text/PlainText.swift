// PlainText — a trace as text for a terminal.

/// A trace as text, 80 columns wide.
package struct PlainText {
  package static let columns = 80

  let trace: TraceModel

  package init(_ trace: TraceModel) { self.trace = trace }

  /// The summary, and for a short trace also its lanes and events.
  package var all: String {
    var parts = [summary]
    if let lanes { parts.append(lanes) }
    if let events { parts.append(events) }
    return parts.joined(separator: "\n")
  }

  func name(queue: TraceModel.Index) -> String { TerminalText.escaped(trace.queueName(queue)) }
  func name(thread: TraceModel.Index) -> String { TerminalText.escaped(trace.threadName(thread)) }
}
