// Walk — a run, one event at a time: what happens, when, on which thread, at which line.

struct Walk: Encodable, Sendable {
  struct Moment: Encodable, Sendable, Hashable {
    /// Nanoseconds from the first moment.
    let time: Int
    /// The place of its thread in the walk's.
    let thread: Int
    let words: String
    /// Where it is drawn, in points of the picture.
    let x: Double
    /// From 0; −1 where the code does not say.
    let line: Int
    /// The document's step that has begun, from 1; 0 before the first.
    let step: Int
  }

  struct Thread: Encodable, Sendable {
    let title: String
    /// The middle of its lane; −1 for one that has none, since it only submits.
    let y: Double
  }

  struct Step: Encodable, Sendable {
    let text: String
    /// The moment that it begins with.
    let moment: Int
    let facts: [String]
  }

  let title: String
  let source: String
  let code: [String]
  let threads: [Thread]
  let steps: [Step]
  let moments: [Moment]
  /// From where to where the picture's lanes reach, and how far to the right.
  let top, bottom, right: Double

  init(_ drawing: Drawing, picture: Drawing.Picture, code: SceneCode) {
    let (scene, run, times) = (drawing.scene, drawing.run, drawing.times)
    let events = run.events.filter { times.contains($0.time) }
    var shown = drawing.threads
    for event in events where !shown.contains(event.thread) { shown.append(event.thread) }
    let firsts = drawing.matches.map { match in
      match.events.first.flatMap { first in events.firstIndex { $0 == first } } ?? 0
    }
    var places: [Int: Int] = [:]
    var previous: [Int: RecordedEvent] = [:]
    var moments: [Moment] = []
    for (number, event) in events.enumerated() {
      let line = code.line(
        of: event, after: previous[event.thread], at: places[event.thread])
      previous[event.thread] = event
      if let line { places[event.thread] = line }
      moments.append(
        Moment(
          time: event.time - times.lowerBound, thread: shown.firstIndex(of: event.thread)!,
          words: event.words, x: drawing.x(event.time), line: line ?? -1,
          step: firsts.lastIndex { $0 <= number }.map { $0 + 1 } ?? 0))
    }
    self.moments = moments
    title = scene.title
    source = scene.source
    self.code = code.lines
    threads = shown.map { Thread(title: run.threads[$0].title, y: picture.threads[$0] ?? -1) }
    steps = zip(drawing.matches, firsts).map { match, first in
      Step(text: match.step.text, moment: first, facts: match.step.facts.map(\.words))
    }
    (top, bottom, right) = (picture.top, picture.bottom, drawing.width)
  }
}
