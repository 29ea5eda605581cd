// MainThreadWait — the main thread waits for something, and its queue stands still.

enum MainThreadWait: AdviceRule {
  typealias Time = AdviceScene.Time

  /// A frame at sixty in a second, in nanoseconds: whoever looks sees one missing.
  static let frame: Time = 16_000_000

  static func look(at scene: AdviceScene) -> [Advice] {
    let story = scene.story
    // Where nobody ever asks anything of the main thread, its wait for the others holds up nothing.
    let work = (0..<story.items.count).filter {
      scene.kind(of: Int(story.items.queue[$0])) == .main && !scene.isSync($0)
    }
    let hasLoop = story.steps.thread.contains { scene.isMain($0) }
    guard hasLoop || !work.isEmpty else { return [] }
    var groups: [[AdviceScene.Index]: [Int]] = [:]
    for wait in 0..<story.waits.count
    where scene.isMain(story.waits.thread[wait]) && scene.isForOthers(wait)
      && scene.length(wait) >= frame
    {
      groups[[story.waits.object[wait], story.waits.queue[wait]], default: []].append(wait)
    }
    return groups.values.sorted { $0[0] < $1[0] }.map { advice($0, work, scene) }
  }

  private static func advice(_ waits: [Int], _ work: [Int], _ scene: AdviceScene) -> Advice {
    let story = scene.story
    let times = Distribution(waits.map { scene.length($0) })
    let heldUp = work.count { item in
      waits.contains { wait in
        let began = story.waits.began[wait]
        let started = story.items.started[item]
        return story.items.submitted[item] >= 0
          && story.items.submitted[item] < began + scene.length(wait)
          && (started < 0 || started > began)
      }
    }
    let thread = story.threadName(story.waits.thread[waits[0]])
    return Advice(
      kind: .mainThreadWait, queue: scene.label(story.waits.queue[waits[0]]), thread: thread,
      count: waits.count, nanoseconds: times.total,
      finding: "the main thread waited \(story.waitWords(waits[0])) "
        + "\(waits.count == 1 ? "once" : "\(waits.count) times") for longer than a frame, "
        + "\(DurationText.text(times.longest)) at most; "
        + "\(heldUp) item\(heldUp == 1 ? "" : "s") of the main queue had to wait meanwhile",
      remedy: "do not wait there: have what it waits for submit to the main queue what comes next "
        + "(a group's notify, an item at its end)",
      places: scene.places(ofWaits: waits))
  }
}
