// StoryText — a story as text for a terminal.

/// A story as text, 80 columns wide.
package struct StoryText {
  package static let columns = 80

  let story: TraceStory

  package init(_ story: TraceStory) { self.story = story }

  /// The summary, and for a short story also its lanes and events.
  package var all: String {
    var parts = [summary]
    if let lanes { parts.append(lanes) }
    if let events { parts.append(events) }
    return parts.joined(separator: "\n")
  }

  func name(queue: TraceStory.Index) -> String { TerminalText.escaped(story.queueName(queue)) }
  func name(thread: TraceStory.Index) -> String { TerminalText.escaped(story.threadName(thread)) }
}
