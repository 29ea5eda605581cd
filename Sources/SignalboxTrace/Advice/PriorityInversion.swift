// PriorityInversion — a thread with a higher QoS class waits for work with a
// lower one.

enum PriorityInversion: AdviceRule {
  typealias Time = AdviceInput.Time

  /// In nanoseconds. A shorter wait ends before the kernel would run other
  /// threads in place of the one waited for: its time slices last a few
  /// milliseconds.
  static let leastWait: Time = 1_000_000

  private static let classes: [TraceModel.Rank: String] = [
    1: "background", 2: "utility", 3: "default", 4: "userInitiated", 5: "userInteractive",
  ]

  static func look(at input: AdviceInput) -> [Advice] {
    var groups: [[AdviceInput.Index]: [Int]] = [:]
    for wait in 0..<input.waits.count
    where input.waits.rank[wait] > input.waits.otherRank[wait]
      && input.length(wait) >= leastWait
      && classes[input.waits.rank[wait]] != nil
      && classes[input.waits.otherRank[wait]] != nil
      && input.isForOthers(wait)
    {
      groups[[input.waits.object[wait], input.waits.queue[wait]], default: []].append(
        wait)
    }
    return groups.values.sorted { $0[0] < $1[0] }.map { advice($0, input) }
  }

  private static func advice(_ waits: [Int], _ input: AdviceInput) -> Advice {
    let worst = waits.max { input.length($0) < input.length($1) } ?? waits[0]
    let times = Distribution(waits.map { input.length($0) })
    let item = input.waits.item[worst]
    let queue = item >= 0 ? input.items.queue[Int(item)] : input.waits.queue[worst]
    let thread = input.trace.threadName(input.waits.thread[worst])
    let waiter =
      item >= 0
      ? "an item of \(input.words(queue: Int(queue)))"
      : input.trace.quotedThread(input.waits.thread[worst])
    return Advice(
      kind: .priorityInversion, queue: input.label(queue), thread: thread, count: waits.count,
      nanoseconds: times.total,
      finding: "\(waiter) (\(classes[input.waits.rank[worst]] ?? "")) waited "
        + "\(DurationText.text(times.longest)) \(input.trace.waitWords(worst)), behind "
        + other(worst, input)
        + (waits.count > 1
          ? "; \(waits.count) such waits took \(DurationText.text(times.total)) in total" : ""),
      remedy: "give both the same quality of service, or hand the work over with async instead of "
        + "waiting for it",
      places: input.places(ofWaits: waits))
  }

  /// Describes the work waited for, and how long that work itself waited to
  /// run.
  private static func other(_ wait: Int, _ input: AdviceInput) -> String {
    let rank = classes[input.waits.otherRank[wait]] ?? ""
    let item = Int(input.waits.other[wait])
    guard item >= 0 else { return "work of a lower quality of service (\(rank))" }
    let words = "an item of \(input.words(queue: Int(input.items.queue[item]))) (\(rank))"
    let (submitted, started) = (input.items.submitted[item], input.items.started[item])
    guard submitted >= 0, started > input.waits.began[wait] else { return words }
    return words
      + ", which had itself waited \(DurationText.text(started - submitted)) before it ran"
  }
}
