// TargetReport+JSON — the report as JSON, with the members of `SignalboxReport.json`.

extension TargetReport {
  /// The report on one line. The members have the names and meanings that they have in the report
  /// from inside; `engines` has an object for each copy of Signalbox.
  package var json: String {
    JSONText.object([
      ("format", .text("signalbox-report")), ("version", .number(1)), ("outside", .flag(true)),
      ("core", .text(origin?.path)),
      ("signal", .number(origin.flatMap { $0.signal == 0 ? nil : $0.signal })),
      ("process", .number(process)), ("name", .text(name)), ("uptime", .number(uptime)),
      ("engines", .array(zip(inspections, words).map { engine($0, $1) })),
      (
        "threads",
        .array(
          otherThreads.map { thread in
            let job = words.lazy.compactMap { $0.job(of: thread) }.first
            return thread.json(calls[thread.kernelID], job, frames(of: thread.kernelID))
          })
      ),
      ("notes", .array(notes.map { .text($0) })),
    ]).written
  }

  private func frames(of thread: Int32) -> JSONText {
    .array((stacks[thread] ?? []).map(\.json))
  }

  private func engine(_ inspection: Inspection, _ words: ThreadWords) -> JSONText {
    .object([
      ("path", .text(inspection.path)),
      ("deadlocks", .array(inspection.cycles.map { .text(words.deadlock($0)) })),
      (
        "cycles",
        .array(
          inspection.cycles.map { cycle in
            .array(cycle.map { .number($0.thread.number) })
          })
      ),
      ("notes", .array(inspection.notes.map { .text($0) })),
      (
        "threads", .array(waits(of: inspection).map { words.json(of: $0, frames(of: $0.kernelID)) })
      ),
      ("queues", .array(inspection.queueLines.map(\.json))),
      ("pools", .array(inspection.pools.map(\.json))),
    ])
  }
}

extension ThreadWords {
  fileprivate func json(of thread: SeenThread, _ frames: JSONText) -> JSONText {
    var members: [(String, JSONText)] = [
      ("number", .number(thread.number)), ("kernelID", .number(thread.kernelID)),
      ("name", .text(bareName(of: thread))), ("isMain", .flag(thread.isMain)),
      ("isWorker", .flag(thread.isWorker)), ("state", .text("waiting")),
    ]
    members.append(("job", thread.job?.json ?? .null))
    if let wait = thread.wait { members.append(("wait", json(of: wait, thread))) }
    members.append(("frames", frames))
    return .object(members)
  }

  private func json(of wait: SeenWait, _ thread: SeenThread) -> JSONText {
    let owner = owner(of: thread)
    return .object([
      ("reason", .text(wait.reason)), ("resource", .text(resource(of: wait))),
      ("object", .text("0x\(String(wait.object, radix: 16))")), ("place", .text(place(of: wait))),
      ("length", .number(length(of: wait))), ("isTimed", .flag(wait.hasDeadline)),
      ("isIdle", .flag(wait.isIdle)), ("owner", .number(owner)),
      ("ownerTitle", .text(owner.map { name(of: $0) } ?? mainThread(for: wait))),
    ])
  }
}

extension SeenFrame {
  fileprivate var json: JSONText {
    .object([
      ("address", .text("0x\(String(address, radix: 16))")), ("function", .text(function)),
      ("file", .text(file)), ("offset", .number(offset)), ("buildID", .text(buildID)),
      ("source", .text(source?.path)), ("line", .number(source?.line)),
    ])
  }
}

extension SeenJob {
  fileprivate var json: JSONText {
    let (word, number): (String, UInt64?) =
      switch kind {
      case .task(let number): ("task", number)
      case .turn: ("actor", nil)
      case .unknown: ("unknown", nil)
      }
    return .object([
      ("kind", .text(word)), ("number", .number(number)),
      ("name", .text(name.isEmpty ? nil : name)), ("priority", .text(priority)),
    ])
  }
}

extension KernelThread {
  fileprivate func json(_ call: SystemCall?, _ job: SeenJob?, _ frames: JSONText) -> JSONText {
    .object([
      ("kernelID", .number(kernelID)), ("name", .text(name)), ("state", .text(state.rawValue)),
      ("job", job?.json ?? .null), ("call", .text(call?.name)),
      ("descriptor", .number(call?.descriptor)),
      ("file", .text(call?.file)), ("frames", frames),
    ])
  }
}

extension SeenQueueLine {
  fileprivate var json: JSONText {
    .object([
      ("label", .text(queue.label)), ("kind", .text(queue.shape)), ("target", .text(target)),
      ("count", .number(depth.number)), ("hasMore", .flag(depth.hasMore)),
      ("owner", queue.state.owner == 0 ? .null : .number(queue.state.owner)),
      ("running", .number(queue.state.shared)), ("isSuspended", .flag(queue.state.isSuspended)),
      ("isInactive", .flag(queue.state.isInactive)),
      ("object", .text("0x\(String(queue.object, radix: 16))")),
      (
        "firstItem",
        queue.firstItem == 0 ? .null : .text("0x\(String(queue.firstItem, radix: 16))")
      ),
      ("jobs", .array(jobs.map(\.json))),
    ])
  }
}

extension SeenPool {
  fileprivate var json: JSONText {
    .object([
      ("name", .text(tier)), ("width", .number(width)), ("workers", .number(workers)),
      ("running", .number(running)), ("pending", .number(pending)),
    ])
  }
}
