// Explorer — explores every execution of a program, depth first.
//
// From each state, it executes each thread's next operation in each way that memory
// allows. It does not explore a state twice. It executes a step that commutes with
// all steps of other threads at once and alone.
//
// Stuck       a state in which no thread can move is an end. It is a failure if a remaining
//             thread may not remain blocked: the thread waits for a wake-up or a value that
//             will not come. A wait that can time out can move.

/// A step of an execution, kept for the trace.
private struct Step {
  /// The step before, or -1.
  let previous: Int
  let thread: Int
  let operation: Operation
  /// Nil if the thread falls asleep.
  let answer: Int?
}

/// Explores one program.
final class Explorer {
  /// A program that reaches more states is larger than it should be, or has a thread that can
  /// run forever.
  static let stateLimit = 400_000

  private let program: Program
  private let forgets: Bool
  private let thread = ModelThread()
  private var met: Set<Fingerprint> = []
  /// States that are still to be explored, each with the last step that led to it.
  private var work: [(state: State, step: Int)] = []
  private var steps: [Step] = []
  /// The last step that led to the state being explored.
  private var current = -1
  private var key: [UInt64] = []
  private var verdict = Verdict()

  private init(_ program: Program, forgets: Bool) {
    self.program = program
    self.forgets = forgets
  }

  /// Explores `program` until all states are seen or a counterexample is found. If `forgets` is
  /// false, it keeps old messages, which gives more states but the same outcomes.
  static func explore(_ program: Program, forgets: Bool = true) -> Verdict {
    let explorer = Explorer(program, forgets: forgets)
    do throws(Counterexample) {
      var state = State(of: program)
      for thread in program.threads.indices { try explorer.run(thread, in: &state) }
      explorer.add(state)
      while let (state, step) = explorer.work.popLast() {
        explorer.current = step
        if explorer.met.count > stateLimit { throw explorer.failure(.endless) }
        try explorer.explore(state)
      }
    } catch {
      explorer.verdict.counterexample = error
    }
    explorer.verdict.states = explorer.met.count
    return explorer.verdict
  }

  // MARK: The search

  /// Adds a state to explore, unless it is already known.
  private func add(_ state: State) {
    key.removeAll(keepingCapacity: true)
    state.append(to: &key)
    guard met.insert(Fingerprint(key)).inserted else { return }
    work.append((state, steps.count - 1))
  }

  private func explore(_ state: State) throws(Counterexample) {
    for thread in state.threads.indices {
      if let operation = state.threads[thread].next, operation.isLocal {
        _ = try step(thread, operation, from: state)
        return
      }
    }
    var canMove = false
    for thread in state.threads.indices {
      if let operation = state.threads[thread].next,
        try step(thread, operation, from: state)
      {
        canMove = true
      }
    }
    if !canMove { try end(state) }
  }

  /// Continues from `state` after `answer` to `operation` of `thread`.
  private func proceed(
    _ state: State, _ thread: Int, _ operation: Operation, answer: Int
  ) throws(Counterexample) {
    var state = state
    let before = current
    note(thread, operation, answer)
    state.threads[thread].record.append(answer)
    state.threads[thread].status = .running
    current = steps.count - 1
    try run(thread, in: &state)
    current = before
    if forgets { state.memory.forget() }
    add(state)
  }

  private func note(_ thread: Int, _ operation: Operation, _ answer: Int?) {
    steps.append(
      Step(previous: current, thread: thread, operation: operation, answer: answer))
  }

  /// Runs the code of `thread` up to its next operation.
  private func run(_ thread: Int, in state: inout State) throws(Counterexample) {
    let sections = program.threads[thread].sections
    while true {
      let section = state.threads[thread].section
      if section == sections.count {
        state.threads[thread].status = .finished
        state.threads[thread].next = nil
        state.memory.threads[thread].isRunning = false
        return
      }
      switch self.thread.run(sections[section], record: state.threads[thread].record) {
      case .suspended(let operation):
        state.threads[thread].next = operation
        state.threads[thread].observations = self.thread.observations
        return
      case .sectionEnded:
        state.threads[thread].pastObservations += self.thread.observations
        state.threads[thread].observations = []
        state.threads[thread].record = []
        state.threads[thread].section = section + 1
      case .violated(let what):
        throw failure(.violation(what))
      }
    }
  }

  private func end(_ state: State) throws(Counterexample) {
    let stuck = program.threads.indices.filter {
      state.threads[$0].status != .finished && !program.threads[$0].mayRemainBlocked
    }
    if !stuck.isEmpty { throw failure(.stuck(stuck.map { program.threads[$0].name })) }
    let final = FinalState(memory: state.memory)
    if let what = program.finalCheck?(final) { throw failure(.violation(what)) }
    verdict.outcomes.insert(
      state.threads.flatMap { $0.pastObservations + $0.observations }
        + program.observedAtEnd.map { final[$0] })
  }

  // MARK: - Steps

  /// Explores every way to execute the operation. Returns whether there is one.
  private func step(
    _ thread: Int, _ operation: Operation, from state: State
  ) throws(Counterexample) -> Bool {
    var before = state
    if let location = operation.location, touches(operation),
      state.threads[thread].status == .running,
      !before.memory.touch(location.index, by: thread)
    {
      throw failure(.useAfterFree(of: program.atomics[location.index].name))
    }
    switch operation {
    case .load(let location, let ordering):
      return try readEach(location, nil, ordering, thread, operation, before)
    case .await(let location, let condition, let ordering):
      return try readEach(location, condition, ordering, thread, operation, before)
    case .awaitEither(let first, let condition, let second, let otherCondition, let ordering):
      let firstHolds = try readEach(
        first, condition, ordering, thread, operation, before, answer: 0)
      let secondHolds = try readEach(
        second, otherCondition, ordering, thread, operation, before, answer: 1)
      return firstHolds || secondHolds
    case .store(let location, let value, let ordering):
      var canMove = false
      for position in before.memory.writable(location.index, by: thread) {
        var next = before
        guard
          next.memory.write(value, to: location.index, at: position, by: thread, ordering)
        else { continue }
        canMove = true
        try proceed(next, thread, operation, answer: value)
      }
      return canMove
    case .update(let location, let update, let ordering):
      return try updateEach(location, nil, update, ordering, thread, operation, before)
    case .awaitUpdate(let location, let condition, let update, let ordering):
      return try updateEach(
        location, condition, update, ordering, thread, operation, before)
    case .fence(let ordering):
      guard before.memory.fence(by: thread, ordering) else { return false }
      try proceed(before, thread, operation, answer: 0)
    case .readPlain(let location):
      guard let value = before.memory.readPlain(location.index, by: thread) else {
        throw failure(.dataRace(on: program.plains[location.index].name))
      }
      try proceed(before, thread, operation, answer: value)
    case .writePlain(let location, let value):
      guard before.memory.writePlain(value, to: location.index, by: thread) else {
        throw failure(.dataRace(on: program.plains[location.index].name))
      }
      try proceed(before, thread, operation, answer: value)
    case .free(let location):
      guard before.memory.free(location.index, by: thread) else {
        throw failure(.useAfterFree(of: program.atomics[location.index].name))
      }
      try proceed(before, thread, operation, answer: 0)
    case .choose(let bound):
      for choice in 0..<bound { try proceed(before, thread, operation, answer: choice) }
    case .futexWait(let word, let expected, let canTimeOut):
      return try wait(word, expected, canTimeOut, thread, operation, before)
    case .futexWake(let word, let all):
      try wake(word, all, thread, operation, before)
    }
    return true
  }

  /// Whether the operation dereferences its location. A wake uses only the address, and a free
  /// is checked separately.
  private func touches(_ operation: Operation) -> Bool {
    switch operation {
    case .futexWake, .free: false
    default: true
    }
  }

  private func readEach(
    _ location: Atomic, _ condition: Condition?, _ ordering: Ordering, _ thread: Int,
    _ operation: Operation, _ state: State, answer: Int? = nil
  ) throws(Counterexample) -> Bool {
    var canMove = false
    for index in state.memory.readable(location.index, by: thread) {
      let value = state.memory.atomics[location.index].messages[index].value
      if let condition, !condition.holds(for: value) { continue }
      var next = state
      guard next.memory.read(location.index, at: index, by: thread, ordering) else { continue }
      canMove = true
      try proceed(next, thread, operation, answer: answer ?? value)
    }
    return canMove
  }

  private func updateEach(
    _ location: Atomic, _ condition: Condition?, _ update: Update, _ ordering: Ordering,
    _ thread: Int, _ operation: Operation, _ state: State
  ) throws(Counterexample) -> Bool {
    var canMove = false
    for index in state.memory.readable(location.index, by: thread) {
      let value = state.memory.atomics[location.index].messages[index].value
      if let condition, !condition.holds(for: value) { continue }
      var next = state
      if let result = update.result(of: value) {
        guard next.memory.isUpdatable(location.index, at: index),
          next.memory.update(location.index, at: index, to: result, by: thread, ordering)
        else { continue }
      } else {
        guard next.memory.read(location.index, at: index, by: thread, update.failure)
        else { continue }
      }
      canMove = true
      try proceed(next, thread, operation, answer: value)
    }
    return canMove
  }

  // MARK: - The kernel's wait queues (see `Futex`)

  private func wait(
    _ word: FutexWord, _ expected: Int, _ canTimeOut: Bool, _ thread: Int,
    _ operation: Operation, _ state: State
  ) throws(Counterexample) -> Bool {
    if case .asleep = state.threads[thread].status {
      if canTimeOut {
        try proceed(state, thread, operation, answer: WaitResult.timedOut.rawValue)
      }
      return canTimeOut
    }
    for index in state.memory.readableByKernel(word, for: thread) {
      let value = state.memory.atomics[word.location.index].messages[index].value
      var next = state
      _ = next.memory.read(word.location.index, at: index, by: thread, .relaxed)
      if word.value(in: value) != expected {
        try proceed(next, thread, operation, answer: WaitResult.valueDiffered.rawValue)
      } else {
        next.threads[thread].status = .asleep(word.queue)
        note(thread, operation, nil)
        add(next)
      }
    }
    return true
  }

  private func wake(
    _ word: FutexWord, _ all: Bool, _ thread: Int, _ operation: Operation, _ state: State
  ) throws(Counterexample) {
    var state = state
    state.memory.tellKernel(word, by: thread)
    let asleep = state.threads.indices.filter {
      state.threads[$0].status == .asleep(word.queue)
    }
    if asleep.isEmpty { return try proceed(state, thread, operation, answer: 0) }
    for chosen in all ? [asleep] : asleep.map({ [$0] }) {
      var next = state
      for sleeper in chosen {
        next.threads[sleeper].record.append(WaitResult.woken.rawValue)
        next.threads[sleeper].status = .running
        try run(sleeper, in: &next)
      }
      try proceed(next, thread, operation, answer: chosen.count)
    }
  }

  // MARK: - Reporting

  private func failure(_ flaw: Flaw) -> Counterexample {
    var trace: [String] = []
    var index = current
    while index >= 0 {
      let step = steps[index]
      let what =
        step.answer.map { describe(step.operation, answer: $0) }
        ?? describeSleep(step.operation)
      trace.append("\(program.threads[step.thread].name): \(what)")
      index = step.previous
    }
    return Counterexample(flaw: flaw, trace: trace.reversed())
  }

  private func describeSleep(_ operation: Operation) -> String {
    operation.location.map { "sleeps on \(program.atomics[$0.index].name)" } ?? "sleeps"
  }

  private func describe(_ operation: Operation, answer: Int) -> String {
    func name(_ location: Atomic) -> String { program.atomics[location.index].name }
    return switch operation {
    case .load(let location, let ordering):
      "load \(name(location)) → \(answer) (\(ordering.rawValue))"
    case .store(let location, let value, let ordering):
      "store \(value) to \(name(location)) (\(ordering.rawValue))"
    case .update(let location, let update, let ordering):
      "\(update) on \(name(location)) → \(answer) (\(ordering.rawValue))"
    case .fence(let ordering): "fence (\(ordering.rawValue))"
    case .await(let location, let condition, let ordering):
      "await \(condition) of \(name(location)) → \(answer) (\(ordering.rawValue))"
    case .awaitEither(let first, _, let second, _, _):
      "await either of \(name(first)), \(name(second)) → \(name(answer == 0 ? first : second))"
    case .awaitUpdate(let location, let condition, let update, let ordering):
      "await \(condition), \(update) on \(name(location)) → \(answer) (\(ordering.rawValue))"
    case .readPlain(let location): "read \(program.plains[location.index].name) → \(answer)"
    case .writePlain(let location, let value):
      "write \(value) to \(program.plains[location.index].name)"
    case .free(let location): "free \(name(location))"
    case .choose: "choose \(answer)"
    case .futexWait(let word, let expected, _):
      "futex wait while \(name(word.location)) is \(expected) → \(WaitResult(rawValue: answer)!)"
    case .futexWake(let word, _): "futex wake \(name(word.location)) → \(answer)"
    }
  }
}

extension Program {
  func explored(forgets: Bool = true) -> Verdict {
    Explorer.explore(self, forgets: forgets)
  }
}
