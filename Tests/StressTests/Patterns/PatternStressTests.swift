// PatternStressTests — workers, isolation and debouncing with many threads.

import SignalboxDispatch
import SignalboxPatterns
import SignalboxTestSupport
import Testing

let patternSubjects = [
  Subject("a serial worker's jobs come one by one, wherever done is called", serialJobs),
  Subject("a limited worker keeps its limit, loses and repeats no job", limitedJobs),
  Subject("done races with the return of its job and with other dones", racingDone),
  Subject("an isolated value loses no write, and reads are of one piece", isolatedValue),
  Subject("an identity map gives one object for each identifier", oneObject),
  Subject("of debounced calls none runs twice, the last one does, all are freed", debounced),
]

@Suite struct PatternStressTests {
  @Test(arguments: patternSubjects) func holds(_ subject: Subject) throws {
    try subject.smoke()
  }
}

/// The ways in which a job can end.
private func end(_ way: Int, _ steps: Int, on queue: DispatchQueue, _ done: @escaping DoneBlock) {
  switch way {
  case 0: done()
  case 1: queue.async(execute: done)
  case 2:
    queue.async(execute: done)
    dawdle(steps)
  case 3:
    queue.async {
      dawdle(steps)
      done()
      done()
    }
  default:
    done()
    queue.async(execute: done)
  }
}

private func serialJobs(_ random: inout SeededGenerator) throws {
  let producers = Int.random(in: 1...4, using: &random)
  let jobs = Int.random(in: 100...400, using: &random)
  let generators = (0..<producers).map { _ in random.split() }
  let elsewhere = DispatchQueue.global()
  let last = Unguarded(Array(repeating: -1, count: producers))
  let ran = Unguarded(0)
  let disorders = Counter()
  let ended = EventCounter("jobs")
  let tracker = LeakTracker()
  do {
    let worker = AsyncSerialWorker(
      target: Bool.random(using: &random) ? nil : DispatchQueue(label: "org.signalbox.stress"))
    try runThreads(producers) { producer in
      var random = generators[producer]
      for number in 0..<jobs {
        let object = tracker.makeObject()
        let way = Int.random(in: 0...4, using: &random)
        let steps = Int.random(in: 0...100, using: &random)
        worker.enqueueWork { done in
          object.touch()
          if last.value[producer] != number - 1 { disorders.increment() }
          last.value[producer] = number
          ran.increment()
          ended.increment()
          end(way, steps, on: elsewhere, done)
        }
      }
    }
  }
  try ended.wait(for: producers * jobs)
  try tracker.waitUntilAllAreFreed()
  try agree(disorders.value, 0, "jobs out of order")
  try agree(ended.value, producers * jobs, "jobs run")
  try agree(ran.value, producers * jobs, "jobs counted without a lock")
}

private func limitedJobs(_ random: inout SeededGenerator) throws {
  let producers = Int.random(in: 1...4, using: &random)
  let limit = Int.random(in: 1...5, using: &random)
  let jobs = Int.random(in: 100...400, using: &random)
  let generators = (0..<producers).map { _ in random.split() }
  let elsewhere = DispatchQueue.global()
  let underWay = Counter()
  let excesses = Counter()
  let ended = EventCounter("jobs")
  let tracker = LeakTracker()
  do {
    let worker = LimitedWorker(limit: limit)
    try runThreads(producers) { producer in
      var random = generators[producer]
      for _ in 0..<jobs {
        let object = tracker.makeObject()
        let way = Int.random(in: 0...8, using: &random)
        let steps = Int.random(in: 0...100, using: &random)
        if way > 4 {
          worker.enqueueWork {
            object.touch()
            if underWay.increment() > limit { excesses.increment() }
            dawdle(steps)
            underWay.decrement()
            ended.increment()
          }
        } else {
          worker.enqueueWork { done in
            object.touch()
            if underWay.increment() > limit { excesses.increment() }
            dawdle(steps)
            underWay.decrement()
            ended.increment()
            end(way, steps, on: elsewhere, done)
          }
        }
      }
    }
  }
  try ended.wait(for: producers * jobs)
  try tracker.waitUntilAllAreFreed()
  try agree(ended.value, producers * jobs, "jobs run")
  try agree(excesses.value, 0, "jobs beyond the limit")
}

/// Three threads and the job itself call every job's block at once.
private func racingDone(_ random: inout SeededGenerator) throws {
  let jobs = Int.random(in: 50...150, using: &random)
  let limit = Int.random(in: 1...3, using: &random)
  let worker = LimitedWorker(limit: limit)
  let callers = (0..<3).map { DispatchQueue(label: "org.signalbox.stress.caller \($0)") }
  let steps = (0..<jobs).map { _ in Int.random(in: 0...200, using: &random) }
  let underWay = Counter()
  let excesses = Counter()
  let ended = EventCounter("jobs")
  for job in 0..<jobs {
    worker.enqueueWork { done in
      for caller in callers { caller.async(execute: done) }
      if underWay.increment() > limit { excesses.increment() }
      dawdle(steps[job])
      underWay.decrement()
      ended.increment()
      done()
    }
  }
  try ended.wait(for: jobs)
  for caller in callers { caller.sync {} }
  try agree(ended.value, jobs, "jobs run")
  try agree(excesses.value, 0, "jobs beyond the limit")
}

private func isolatedValue(_ random: inout SeededGenerator) throws {
  let threads = Int.random(in: 2...5, using: &random)
  let steps = Int.random(in: 100...400, using: &random)
  let generators = (0..<threads).map { _ in random.split() }
  let value = Isolated(Array(repeating: 0, count: 8))
  let writes = Counter()
  let torn = Counter()
  let missed = Counter()
  let answers = EventCounter("reads with a completion")
  let asked = Counter()
  try runThreads(threads) { thread in
    var random = generators[thread]
    for _ in 0..<steps {
      switch Int.random(in: 0..<6, using: &random) {
      case 0:
        writes.increment()
        value.write { numbers in for index in numbers.indices { numbers[index] += 1 } }
      case 1:
        writes.increment()
        let before = value.read { $0[0] }
        let after = value.writeAndWait { numbers in
          for index in numbers.indices { numbers[index] += 1 }
          return numbers[7]
        }
        if after <= before { missed.increment() }
      case 2:
        asked.increment()
        value.read({ Set($0).count }, on: .global()) { kinds in
          if kinds != 1 { torn.increment() }
          answers.increment()
        }
      default:
        if value.read({ Set($0).count }) != 1 { torn.increment() }
      }
    }
  }
  try answers.wait(for: asked.value)
  try agree(torn.value, 0, "reads in the middle of a write")
  try agree(missed.value, 0, "writes that did not come after a read")
  try agree(value.read { $0 }, Array(repeating: writes.value, count: 8), "the value at the end")
}

private final class Numbered: Identifiable, Sendable {
  let id: Int
  init(id: Int) { self.id = id }
}

private func oneObject(_ random: inout SeededGenerator) throws {
  let threads = Int.random(in: 2...5, using: &random)
  let identifiers = Int.random(in: 1...20, using: &random)
  let generators = (0..<threads).map { _ in random.split() }
  let map = IdentityMap<Numbered>()
  let found = Guarded<[Int: Set<ObjectIdentifier>]>([:])
  let watch = WeakWatch()
  try runThreads(threads) { thread in
    var random = generators[thread]
    for _ in 0..<100 {
      let id = Int.random(in: 0..<identifiers, using: &random)
      let object: Numbered
      if Bool.random(using: &random) {
        map.addObject(watch.watch(Numbered(id: id)))
        object = map.object(withID: id)!
      } else {
        object = map.object(withID: id) { watch.watch(Numbered(id: id)) }
      }
      found.withValue { _ = $0[id, default: []].insert(ObjectIdentifier(object)) }
    }
  }
  let all = found.current
  try agree(all.values.map(\.count).max(), 1, "objects for one identifier")
  try agree(map.count, all.count, "objects in the map")
  try agree(watch.alive, all.count, "objects alive")
}

private func debounced(_ random: inout SeededGenerator) throws {
  let threads = Int.random(in: 1...4, using: &random)
  let calls = Int.random(in: 20...100, using: &random)
  let generators = (0..<threads).map { _ in random.split() }
  let quietTime = DispatchTimeInterval.microseconds(Int.random(in: 0...300, using: &random))
  let queue = DispatchQueue(label: "org.signalbox.stress.debounced")
  let debouncer = Debouncer(quietTime: quietTime, queue: queue)
  let ran = Guarded<Set<Int>>([])
  let repeats = Counter()
  let tracker = LeakTracker()
  try runThreads(threads) { thread in
    var random = generators[thread]
    for call in 0..<calls {
      let object = tracker.makeObject()
      let number = thread * calls + call
      debouncer.submit {
        object.touch()
        if !ran.withValue({ $0.insert(number).inserted }) { repeats.increment() }
      }
      if Int.random(in: 0..<10, using: &random) == 0 { debouncer.cancel() }
      dawdle(Int.random(in: 0...2_000, using: &random))
    }
  }
  let isLast = EventCounter("the last call")
  debouncer.submit { isLast.increment() }
  try isLast.wait(for: 1)
  try tracker.waitUntilAllAreFreed()
  try agree(repeats.value, 0, "calls that ran twice")
  try agree(isLast.value, 1, "runs of the last call")
}
