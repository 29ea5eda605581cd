// SourceKindStressTests — signals from many threads while sources are added and removed, and
// children that end while their sources do.

import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Testing

let sourceKindSubjects = [
  Subject("each signal is told once to a source that stays", signalsWhileSourcesComeAndGo),
  Subject("the last signal is not lost", lastSignals),
  Subject("each child's end is told once, whenever it is watched", endsOfChildren),
]

@Suite struct SourceKindStressTests {
  @Test(arguments: sourceKindSubjects) func holds(_ subject: Subject) throws {
    try subject.smoke()
  }
}

/// A source that adds up the reported signals.
private struct Sum {
  let source: DispatchSource
  let told = EventCounter("signals told")

  init(_ signal: Int32, _ queue: DispatchQueue? = nil) {
    source = DispatchSource.makeSignalSource(signal: signal, queue: queue) as! DispatchSource
    source.setEventHandler { [told, weak source] in
      for _ in 0..<(source?.data ?? 0) { told.increment() }
    }
    source.activate()
  }

  func end() throws {
    let ended = EventCounter("cancel handlers")
    source.setCancelHandler { ended.increment() }
    source.cancel()
    try ended.wait(for: 1)
  }
}

private func signalsWhileSourcesComeAndGo(_ random: inout SeededGenerator) throws {
  let count = Int.random(in: 1...3, using: &random)
  var own = random.split()
  try SpareSignal.with(count) { signals in
    // A signal that arrives while there is no source must not end the process.
    for number in signals { signal(number, SIG_IGN) }
    let staying = signals.map { Sum($0) }
    let threads = Int.random(in: 1...4, using: &own)
    let raised = Int.random(in: 1...200, using: &own)
    let plans = (0..<threads).map { _ in
      (0..<raised).map { _ in signals.randomElement(using: &own)! }
    }
    let raisers = try plans.map { plan in
      try PlainThread { for number in plan { raise(number) } }
    }
    // Other sources disturb these.
    for _ in 0..<Int.random(in: 1...20, using: &own) {
      let passing = Sum(signals.randomElement(using: &own)!)
      dawdle(Int.random(in: 0...200, using: &own))
      if Bool.random(using: &own) { try passing.end() }
    }
    for thread in raisers { try thread.join() }
    for (number, sum) in zip(signals, staying) {
      let expected = plans.reduce(0) { all, plan in all + plan.count { $0 == number } }
      try sum.told.wait(for: expected)
      try agree(sum.told.value, expected, "signals told")
      try sum.end()
    }
  }
}

/// Sources are added and removed; each reports the signals that were raised while
/// it existed.
private func lastSignals(_ random: inout SeededGenerator) throws {
  var own = random.split()
  try SpareSignal.with(1) { signals in
    signal(signals[0], SIG_IGN)
    for _ in 0..<Int.random(in: 1...30, using: &own) {
      let sum = Sum(signals[0], Bool.random(using: &own) ? DispatchQueue(label: "sums") : nil)
      let raised = Int.random(in: 1...3, using: &own)
      for _ in 0..<raised {
        raise(signals[0])
        dawdle(Int.random(in: 0...300, using: &own))
      }
      try sum.told.wait(for: raised)
      try agree(sum.told.value, raised, "signals told")
      if Bool.random(using: &own) { try sum.end() }
    }
  }
}

private func endsOfChildren(_ random: inout SeededGenerator) throws {
  var own = random.split()
  for _ in 0..<Int.random(in: 1...4, using: &own) {
    var child = pid_t()
    var arguments = [strdup("/bin/true"), nil]
    defer { free(arguments[0]) }
    let result = posix_spawn(&child, "/bin/true", nil, nil, &arguments, environ)
    guard result == 0 else { throw Broken("posix_spawn: errno \(result)") }
    dawdle(Int.random(in: 0...2000, using: &own))
    let told = EventCounter("ends told")
    let sources = (0..<Int.random(in: 1...3, using: &own)).map { _ in
      let source = DispatchSource.makeProcessSource(identifier: child, eventMask: .exit)
      source.setEventHandler { told.increment() }
      source.activate()
      return source
    }
    let cancelled = Bool.random(using: &own)
    if cancelled { sources[0].cancel() }
    try told.wait(for: sources.count - (cancelled ? 1 : 0))
    var status: Int32 = -1
    // Other tests' signals may interrupt the call.
    var ended: pid_t
    repeat { ended = waitpid(child, &status, 0) } while ended < 0 && errno == EINTR
    try agree(ended, child, "the child that was waited for")
    try agree(status, 0, "its status")
    if told.value > sources.count { throw Broken("\(told.value) ends of one process told") }
    for source in sources { source.cancel() }
  }
}
