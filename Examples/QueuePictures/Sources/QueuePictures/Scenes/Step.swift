// Step — a step of a document, and the recorded events that show it.

/// A step of a walk-through, or what a figure shows.
struct Step: Sendable {
  /// What the document says.
  let text: String
  /// The events that show it; each comes after those of the step before.
  let events: [Pattern]
  /// Whether the events come in this order. Those of threads that do not wait for each other
  /// may come in any.
  var isOrdered = true
  /// What must hold besides, mostly of what others do meanwhile.
  var facts: [Fact] = []

  init(_ text: String, _ events: [Pattern], isOrdered: Bool = true, facts: [Fact] = []) {
    self.text = text
    self.events = events
    self.isOrdered = isOrdered
    self.facts = facts
  }
}

/// Something that holds of a run or does not.
struct Fact: Sendable {
  let words: String
  let holds: @Sendable (RecordedRun) -> Bool

  init(_ words: String, _ holds: @escaping @Sendable (RecordedRun) -> Bool) {
    self.words = words
    self.holds = holds
  }
}

/// Which event is meant.
struct Pattern: Sendable, CustomStringConvertible {
  enum Place: String, Sendable { case main, worker, anywhere }

  let kind: RecordedEvent.Kind
  let subject: String
  let place: Place

  static func submits(_ item: String, on place: Place = .main) -> Pattern {
    Pattern(kind: .submits, subject: item, place: place)
  }
  static func calls(_ item: String, on place: Place = .main) -> Pattern {
    Pattern(kind: .calls, subject: item, place: place)
  }
  static func starts(_ item: String, on place: Place) -> Pattern {
    Pattern(kind: .starts, subject: item, place: place)
  }
  static func finishes(_ item: String, on place: Place) -> Pattern {
    Pattern(kind: .finishes, subject: item, place: place)
  }
  static func marks(_ text: String, on place: Place) -> Pattern {
    Pattern(kind: .marks, subject: text, place: place)
  }
  static func waits(_ what: String, on place: Place = .main) -> Pattern {
    Pattern(kind: .waits, subject: what, place: place)
  }
  static func goesOn(_ what: String, on place: Place = .main) -> Pattern {
    Pattern(kind: .goesOn, subject: what, place: place)
  }
  static func tells(_ step: LoopStep) -> Pattern {
    Pattern(kind: .tells, subject: step.words, place: .main)
  }
  static func works(_ step: LoopStep) -> Pattern {
    Pattern(kind: .works, subject: step.words, place: .main)
  }

  func matches(_ event: RecordedEvent, in run: RecordedRun) -> Bool {
    guard event.kind == kind, event.subject == subject else { return false }
    switch place {
    case .main: return run.threads[event.thread].isMain
    case .worker: return run.threads[event.thread].isWorker
    case .anywhere: return true
    }
  }

  var description: String { "\(kind.rawValue) “\(subject)” (\(place.rawValue))" }
}
