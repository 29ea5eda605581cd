// SourceModel — the model of `SignalboxDispatch/Source/`: the word of a source, its
// handlers, its merged data, and its target.

enum SourceSite: Site {
  /// SS1: each change of the word.
  case change
  /// SC1: a merge, and the run that takes the merged data.
  case merge, takePending
  /// HP1: a handler is set, dropped or taken for good; taken to be put back; put back.
  case exchangeHandler, takeOut, putBack
  /// TP1: the look at the target, and its replacement.
  case target, setTarget

  var access: Access {
    switch self {
    case .target: .load
    case .setTarget: .store
    default: .update
    }
  }

  var ordering: Ordering {
    switch self {
    case .target, .takeOut: .acquire
    case .setTarget, .putBack: .release
    default: .acquireRelease
    }
  }

  var operations: [String] {
    switch self {
    case .change: ["Source/SourceState.change:SS1"]
    case .merge: ["", ".2", ".3"].map { "Source/SourceCore.merge:SC1\($0)" }
    case .takePending: ["Source/SourceCore.takePending:SC1"]
    case .exchangeHandler: ["Source/SourceHandler.exchange:HP1"]
    case .takeOut: ["Source/SourceHandler.takeOut:HP1"]
    case .putBack: ["Source/SourceHandler.putBack:HP1"]
    case .target: ["Source/TargetReference.queue:TP1"]
    case .setTarget: ["Source/TargetReference.replace:TP1"]
    }
  }
}

struct SourceModel: Sendable {
  /// Ways to get the source wrong.
  enum Mistake {
    /// A run takes the merged data, then clears `event`.
    case takenBeforeCleared
    /// The installer looks whether there is a registration handler.
    case registrationIsLookedFor
    /// A run without a handler takes the merged data and drops it.
    case takenWithoutHandler
    /// A thread that sets a handler reads the word where it should write.
    case handlerSetByLook
    /// A thread that sets a handler of a cancelled source reads the word where it should write.
    case handlerDroppedByLook
    /// An idle source ends at once, though it has a cancel handler.
    case endedWithItsHandler
    /// The release of the last reference ends the source even if it was cancelled.
    case abandonedThoughCancelled
    /// A canceller lets the cancel handler run while it uninstalls the source.
    case endedWhileChanging
    /// The source ends before its cancel handler is taken.
    case endedBeforeTaken
    /// The handler is put back without a look whether it was replaced.
    case putBackByStore
    /// A run does not say that it is under way; the one with the cancel handler does not.
    case runsUnmarked, endsUnmarked
    /// The end of a run wakes no waiter.
    case endsUntold
    /// A thread that cancels and waits lets another one see the end before the source is
    /// uninstalled.
    case endedBeforeUninstalled
    /// The source object is released at once while a handler runs.
    case releasedWhileRunning
    /// A thread that resumes a source at its end reads the word where it should write.
    case resumedByLook
  }

  enum Bits {
    static let enqueued = 1
    static let event = 2
    static let registration = 4
    static let inactive = 8
    static let changing = 16
    static let installed = 32
    static let cancelled = 64
    static let ended = 128
    static let awaitingRun = 256
    static let hasEnd = 512
    static let running = 1024
    static let awaited = 2048
    static let releases = 4096
    static let keeps = 8192
    static let suspension = 16384
  }

  /// The values of a source handler without a handler. Handlers have the numbers after these.
  enum Slot { static let empty = 0, out = 1, firstHandler = 2 }

  let word: Atomic
  /// 1 while the item is on the target queue.
  let item: Atomic
  let pending: Atomic
  let eventSlot: Atomic
  let registrationSlot: Atomic
  let cancelSlot: Atomic
  /// For each handler: 1 while it lives.
  let handlers: [Plain]
  /// What each merger wrote before it merged its bit.
  let payloads: [Plain]
  /// What the handler received. Only the source's runs touch it.
  let told: Plain
  /// 1 after installation, and 1 after uninstallation.
  let installation: Plain
  let uninstallation: Plain
  /// How often the other handlers ran.
  let registrations: Plain
  let ends: Plain
  /// 1 while the source object exists, and 1 while what the handlers use does.
  let object: Plain
  let used: Plain
  /// The number of the target, and whether each target is made.
  let target: Atomic
  let queues: [Plain]
  let orderings: Orderings<SourceSite>
  var mistake: Mistake?
  /// Whether runs install and uninstall the source while a handler waits.
  let isHeavy: Bool
  /// For a source whose stream is at its end.
  let streamEnd: StreamEnd?

  /// `event`, `registration` and `end` select the handlers that the source has; -1 for `event`
  /// means none. `merged` holds the payloads that are pending.
  init(
    _ p: inout Program, _ bits: Int, handlers count: Int = 1, event: Int = 0,
    registration: Int? = nil, end: Int? = nil, payloads: Int = 0, merged: Int = 0,
    isHeavy: Bool = false, isAtEnd: Bool = false, _ orderings: Orderings<SourceSite>,
    _ mistake: Mistake? = nil
  ) {
    func slot(_ handler: Int?) -> Int { handler.map { $0 + Slot.firstHandler } ?? Slot.empty }
    let bits = bits | (registration == nil ? 0 : Bits.registration) | (end == nil ? 0 : Bits.hasEnd)
    self.isHeavy = isHeavy
    word = p.atomic("word", bits)
    item = p.atomic("item", bits & Bits.enqueued)
    pending = p.atomic("pending", merged)
    eventSlot = p.atomic("event handler", event < 0 ? Slot.empty : slot(event))
    registrationSlot = p.atomic("registration handler", slot(registration))
    cancelSlot = p.atomic("cancel handler", slot(end))
    let set = [event, registration ?? -1, end ?? -1]
    handlers = (0..<count).map { p.plain("handler \($0)", set.contains($0) ? 1 : 0) }
    self.payloads = (0..<payloads).map { p.plain("payload \($0)", merged >> $0 & 1) }
    told = p.plain("told")
    installation = p.plain("installation", bits & Bits.installed == 0 ? 0 : 1)
    uninstallation = p.plain("uninstallation")
    registrations = p.plain("registrations")
    ends = p.plain("ends")
    object = p.plain("source object", 1)
    used = p.plain("used by handlers", 1)
    target = p.atomic("target")
    queues = [p.plain("first queue", 1), p.plain("second queue")]
    streamEnd = isAtEnd ? StreamEnd(&p) : nil
    self.orderings = orderings
    self.mistake = mistake
  }

  // MARK: The word

  static func wants(_ bits: Int) -> Bool {
    if bits & (Bits.inactive | Bits.changing) != 0 || bits >= Bits.suspension { return false }
    if bits & Bits.cancelled != 0 { return bits & Bits.ended == 0 }
    return bits & (Bits.event | Bits.awaitingRun) != 0 || tellsRegistration(bits)
  }

  private static func tellsRegistration(_ bits: Int) -> Bool {
    bits & Bits.registration != 0 && bits & Bits.installed != 0
  }

  static func setting(_ bits: Int, _ more: Int) -> Int {
    let new = bits | more
    return wants(new) ? new | Bits.enqueued : new
  }

  func change(
    _ t: ModelThread, _ decide: @escaping @Sendable (Int) -> Int?
  ) throws -> (before: Int, after: Int)? {
    let old = try t.transform(word, orderings[.change], decide)
    return decide(old).map { (old, $0) }
  }

  private func look(_ t: ModelThread) throws -> Int { try t.load(word, .relaxed) }

  func pushIfEnqueued(_ changed: (before: Int, after: Int)?, _ t: ModelThread) throws {
    guard let changed, changed.before & Bits.enqueued == 0, changed.after & Bits.enqueued != 0
    else { return }
    try push(t)
  }

  private func push(_ t: ModelThread) throws {
    if mistake == nil {
      let queue = try t.load(target, orderings[.target])
      try t.require(try t.read(queues[queue]) == 1, "a queue that is not made")
    }
    let old = try t.exchange(item, 1, .release)
    try t.require(old == 0, "the item stands in the queue twice")
  }

  func enqueue(setting bits: Int = 0, _ t: ModelThread) throws {
    let changed = try change(t) { old in
      let new = Self.setting(old, bits)
      return new == old ? nil : new
    }
    try pushIfEnqueued(changed, t)
  }

  func wake(_ t: ModelThread) throws { try enqueue(setting: Bits.event, t) }

  /// Merges the bit of `payload`.
  func merge(_ payload: Int, _ t: ModelThread) throws {
    try t.write(1, to: payloads[payload])
    try t.fetchOr(pending, 1 << payload, orderings[.merge])
    try wake(t)
  }

  // MARK: Handlers

  private func free(_ handler: Int, _ t: ModelThread) throws {
    guard handler >= Slot.firstHandler else { return }
    let slot = handlers[handler - Slot.firstHandler]
    try t.require(try t.read(slot) == 1, "a handler is freed twice")
    try t.write(0, to: slot)
  }

  private func exchange(_ slot: Atomic, _ new: Int, _ t: ModelThread) throws -> Int {
    try t.exchange(slot, new, orderings[.exchangeHandler])
  }

  /// Replaces the handler. Returns whether there was none.
  private func replace(_ slot: Atomic, by new: Int, _ t: ModelThread) throws -> Bool {
    let old = try exchange(slot, new, t)
    try free(old, t)
    return old == Slot.empty
  }

  private func called(_ handler: Int, _ t: ModelThread) throws {
    let isAlive = try t.read(handlers[handler - Slot.firstHandler]) == 1
    try t.require(isAlive, "a handler is called that was freed or not yet made")
    try t.require(try t.read(object) == 1, "a handler is called without the source object")
    try t.require(try t.read(used) == 1, "a handler is called after the wait for the end")
  }

  private func drop(_ slot: Atomic, _ t: ModelThread) throws {
    _ = try replace(slot, by: Slot.empty, t)
  }

  private func dropIfThere(_ slot: Atomic, _ t: ModelThread) throws {
    if try t.load(slot, .relaxed) != Slot.empty { try drop(slot, t) }
  }

  func setEventHandler(_ handler: Int, _ t: ModelThread) throws {
    try t.write(1, to: handlers[handler])
    let wasEmpty = try replace(eventSlot, by: handler + Slot.firstHandler, t)
    if try look(t) & Bits.cancelled != 0 { try drop(eventSlot, t) }
    guard wasEmpty else { return }
    if mistake == .handlerSetByLook { return try wake(t) }
    let changed = try change(t) {
      $0 & (Bits.inactive | Bits.cancelled) != 0 ? $0 : Self.setting($0, Bits.event)
    }
    try pushIfEnqueued(changed, t)
  }

  func setRegistrationHandler(_ handler: Int, _ t: ModelThread) throws {
    try t.write(1, to: handlers[handler])
    _ = try replace(registrationSlot, by: handler + Slot.firstHandler, t)
    if mistake == .registrationIsLookedFor, try look(t) & Bits.installed == 0 { return }
    if mistake == .handlerDroppedByLook {
      if try look(t) & Bits.cancelled != 0 { try drop(registrationSlot, t) }
      return try enqueue(setting: Bits.registration, t)
    }
    let changed = try change(t) {
      $0 & Bits.cancelled != 0 ? $0 : Self.setting($0, Bits.registration)
    }!
    if changed.after & Bits.cancelled != 0 { try drop(registrationSlot, t) }
    try pushIfEnqueued(changed, t)
  }

  func setCancelHandler(_ handler: Int, _ t: ModelThread) throws {
    try t.write(1, to: handlers[handler])
    _ = try replace(cancelSlot, by: handler + Slot.firstHandler, t)
    var now = 0
    if mistake == .handlerDroppedByLook {
      now = try look(t)
    } else {
      now = try change(t) { $0 & Bits.cancelled != 0 ? $0 : $0 | Bits.hasEnd }!.after
    }
    if now & Bits.ended != 0 { try drop(cancelSlot, t) }
  }

  // MARK: Running

  /// A worker of the target queue reaches the item.
  func run(_ t: ModelThread) throws {
    try t.awaitExchange(item, 1, 0, .acquire)
    let now = try look(t)
    if Self.wants(now) {
      if now & Bits.cancelled != 0 {
        try end(now, t)
      } else if now & Bits.awaitingRun != 0 {
        try installHere(t)
      } else if Self.tellsRegistration(now) {
        try tellRegistration(t)
      } else {
        try runEvent(t)
      }
    }
    let changed = try finish(t) {
      (Self.wants($0) ? $0 : $0 & ~Bits.enqueued) & ~(Bits.running | Bits.releases)
    }!
    if changed.before & Bits.releases != 0 { try releaseObject(t) }
    if changed.after & Bits.enqueued != 0 { try push(t) }
  }

  /// Begins a step of a run, unless the source was cancelled.
  private func begin(clearing bits: Int, _ t: ModelThread) throws -> Bool {
    try change(t) { [mistake] old in
      if old & Bits.cancelled != 0 { return nil }
      return old & ~bits | (mistake == .runsUnmarked ? 0 : Bits.running)
    } != nil
  }

  /// The end of a step for which a thread may wait.
  private func finish(
    _ t: ModelThread, _ decide: @escaping @Sendable (Int) -> Int?
  ) throws -> (before: Int, after: Int)? {
    let changed = try change(t) { decide($0).map { $0 & ~Bits.awaited } }
    if let changed, changed.before & Bits.awaited != 0, mistake != .endsUntold {
      _ = try t.futexWake(word, all: true)
    }
    return changed
  }

  private func releaseObject(_ t: ModelThread) throws {
    try t.require(try t.read(object) == 1, "the source object is released twice")
    try t.write(0, to: object)
  }

  private func installHere(_ t: ModelThread) throws {
    let changed = try change(t) {
      $0 & Bits.cancelled != 0
        ? nil : $0 & ~Bits.awaitingRun | Bits.changing | Bits.running
    }
    if changed == nil { return }
    try install(t)
    let now = try look(t)
    if Self.wants(now) && now & Bits.cancelled == 0 && Self.tellsRegistration(now) {
      try tellRegistration(t)
    }
  }

  private func tellRegistration(_ t: ModelThread) throws {
    guard try begin(clearing: Bits.registration, t) else { return }
    let handler = try exchange(registrationSlot, Slot.empty, t)
    guard handler >= Slot.firstHandler else { return }
    try called(handler, t)
    try t.write(try t.read(registrations) + 1, to: registrations)
    try free(handler, t)
  }

  private func runEvent(_ t: ModelThread) throws {
    var data = 0
    if mistake == .takenBeforeCleared { data = try takePending(t) }
    guard try begin(clearing: Bits.event, t) else { return }
    if try t.load(eventSlot, .relaxed) == Slot.empty {
      if mistake == .takenWithoutHandler { _ = try takePending(t) }
      return
    }
    if streamEnd == nil && mistake != .takenBeforeCleared { data = try takePending(t) }
    if data != 0 { try tell(data, t) }
    if let streamEnd { try tellEnd(streamEnd, t) }
    // Rearming needs this.
    if try look(t) & Bits.cancelled == 0 { _ = try t.read(installation) }
  }

  private func takePending(_ t: ModelThread) throws -> Int {
    try t.exchange(pending, 0, orderings[.takePending])
  }

  private func tell(_ data: Int, _ t: ModelThread) throws {
    let old = try t.transform(eventSlot, orderings[.takeOut]) {
      $0 >= Slot.firstHandler ? Slot.out : nil
    }
    guard old >= Slot.firstHandler else { return }
    try t.require(try t.read(ends) == 0, "an event handler after the cancel handler")
    try called(old, t)
    for payload in payloads.indices where data & 1 << payload != 0 {
      try t.require(try t.read(payloads[payload]) == 1, "what was merged is not seen")
    }
    try t.write(try t.read(told) | data, to: told)
    if mistake == .putBackByStore { return try t.store(old, to: eventSlot, .release) }
    let (isBack, _) = try t.compareExchange(
      eventSlot, expected: Slot.out, desired: old, orderings[.putBack], failure: .relaxed)
    if !isBack { try free(old, t) }
  }

  private func end(_ now: Int, _ t: ModelThread) throws {
    if now & Bits.installed != 0 { try uninstall(t) }
    var handler = Slot.empty
    if mistake != .endedBeforeTaken { handler = try exchange(cancelSlot, Slot.empty, t) }
    let running = mistake == .endsUnmarked ? 0 : Bits.running
    let before = try change(t) { Self.ended($0) | running }!.before
    if mistake == .endedBeforeTaken {
      handler = try exchange(cancelSlot, Slot.empty, t)
    } else {
      try dropIfThere(cancelSlot, t)
    }
    if handler >= Slot.firstHandler { try callCancelHandler(handler, t) }
    if before & Bits.keeps != 0 { try releaseObject(t) }
  }

  private func callCancelHandler(_ handler: Int, _ t: ModelThread) throws {
    try called(handler, t)
    try t.write(try t.read(ends) + 1, to: ends)
    let isUninstalled = try t.read(installation) == t.read(uninstallation)
    try t.require(isUninstalled, "the cancel handler runs before all is uninstalled")
    try free(handler, t)
    // It uses the source object until it returns.
    try t.require(try t.read(object) == 1, "the source object is gone while a handler runs")
  }

  // MARK: Life

  func activate(_ t: ModelThread) throws {
    let changed = try change(t) { old in
      guard old & Bits.inactive != 0 else { return nil }
      let active = old & ~Bits.inactive
      if old & Bits.cancelled != 0 { return active }
      let waits = isHeavy && old & Bits.registration != 0
      return active | (waits ? Bits.awaitingRun : Bits.changing)
    }
    guard let changed else { return }
    if changed.after & Bits.changing != 0 { try install(t) }
    try enqueue(t)
  }

  private func install(_ t: ModelThread) throws {
    try t.write(1, to: installation)
    try hasInstalled(t)
  }

  private func hasInstalled(_ t: ModelThread) throws {
    var tells = 0
    if mistake == .registrationIsLookedFor,
      try t.load(registrationSlot, .relaxed) != Slot.empty
    {
      tells = Bits.registration
    }
    let done = try finish(t) { [tells] old in
      old & Bits.cancelled != 0 ? nil : (old | Bits.installed | tells) & ~Bits.changing
    }
    if done != nil { return }
    try uninstall(t)
    try hasChanged(t)
  }

  private func uninstall(_ t: ModelThread) throws {
    try t.require(try t.read(installation) == 1, "uninstalled what is not installed")
    try t.write(try t.read(uninstallation) + 1, to: uninstallation)
  }

  private func hasChanged(_ t: ModelThread) throws { _ = try finish(t) { $0 & ~Bits.changing } }

  private static func ended(_ old: Int) -> Int {
    (old | Bits.cancelled | Bits.ended) & ~(Bits.installed | Bits.awaitingRun)
  }

  private func cancelled(_ old: Int) -> Int {
    let bits = (old | Bits.cancelled) & ~Bits.awaitingRun
    if old & Bits.installed == 0 { return bits }
    return (mistake == .endedWhileChanging ? bits : bits | Bits.changing) & ~Bits.installed
  }

  func cancel(_ t: ModelThread) throws { try cancel(mayBeAwaited: false, t) }

  func cancel(mayBeAwaited: Bool, _ t: ModelThread) throws {
    let changed = try change(t) {
      if $0 & Bits.cancelled != 0 { return nil }
      let hasEnd = $0 & Bits.hasEnd != 0
      let endsAtOnce = mistake == .endedWithItsHandler || !hasEnd && !mayBeAwaited
      if Self.isAtRest($0) && endsAtOnce { return Self.ended($0) }
      let isHalted = $0 & Bits.inactive != 0 || $0 >= Bits.suspension
      return isHeavy && hasEnd && !isHalted
        ? ($0 | Bits.cancelled) & ~Bits.awaitingRun : cancelled($0)
    }
    guard let changed else { return }
    let uninstalls = changed.before & Bits.installed != 0 && changed.after & Bits.installed == 0
    if uninstalls { try uninstall(t) }
    try dropHandlers(t)
    if changed.after & Bits.ended == 0 { try settle(uninstalls, t) }
  }

  private static func isAtRest(_ bits: Int) -> Bool {
    bits & (Bits.enqueued | Bits.inactive | Bits.changing) == 0
  }

  /// Ends the source if it has no cancel handler and nothing left to run; otherwise makes it
  /// run.
  private func settle(_ hasUninstalled: Bool, _ t: ModelThread) throws {
    let mayEnd = try t.load(cancelSlot, .relaxed) == Slot.empty
    let changed = try finish(t) {
      let settled = hasUninstalled ? $0 & ~Bits.changing : $0
      let ends = mayEnd && Self.isAtRest(settled) && settled & Bits.installed == 0
      return ends ? settled | Bits.ended : Self.setting(settled, 0)
    }!
    try pushIfEnqueued(changed, t)
    if changed.before & Bits.ended != 0 || changed.after & Bits.ended == 0 { return }
    try dropIfThere(cancelSlot, t)
    if changed.before & Bits.keeps != 0 { try releaseObject(t) }
  }

  private func dropHandlers(_ t: ModelThread) throws {
    try drop(eventSlot, t)
    try dropIfThere(registrationSlot, t)
  }

  /// The last reference to the source's handle is gone.
  func abandon(_ t: ModelThread) throws {
    let changed = try change(t) { old in
      old & Bits.cancelled != 0 && mistake != .abandonedThoughCancelled
        ? nil : Self.ended(old)
    }
    if let changed { try dropAbandoned(changed.before, t) }
  }

  private func dropAbandoned(_ before: Int, _ t: ModelThread) throws {
    if before & Bits.installed != 0 { try uninstall(t) }
    try dropHandlers(t)
    try drop(cancelSlot, t)
  }

  /// C code gives up its last reference; handlers use the source object without one.
  func giveUp(_ t: ModelThread) throws {
    let changed = try change(t) { [mistake] old in
      let isCancelled = old & Bits.cancelled != 0
      let new = isCancelled ? old : Self.ended(old)
      if isCancelled && old & Bits.ended == 0 { return new | Bits.keeps }
      let waits = old & Bits.running != 0 && mistake != .releasedWhileRunning
      return waits ? new | Bits.releases : new
    }!
    if changed.before & Bits.cancelled == 0 { try dropAbandoned(changed.before, t) }
    if changed.after & (Bits.keeps | Bits.releases) == 0 { try releaseObject(t) }
  }

  /// Cancels the source, and waits until no handler runs and it is uninstalled.
  func cancelAndWait(_ t: ModelThread) throws {
    try cancel(mayBeAwaited: mistake != .endedBeforeUninstalled, t)
    try activate(t)
    while true {
      let changed = try change(t) { old in old | (Self.mustAwait(old) ? Bits.awaited : Bits.ended)
      }!
      guard Self.mustAwait(changed.before) else { break }
      _ = try t.futexWait(word, expected: changed.after)
    }
    try t.require(
      try t.read(installation) == t.read(uninstallation), "the wait ends before the uninstallation")
  }

  /// After `cancelAndWait` the program frees what the handlers use.
  func freeUsed(_ t: ModelThread) throws { try t.write(0, to: used) }

  private static func mustAwait(_ bits: Int) -> Bool {
    bits & (Bits.running | Bits.changing) != 0
      || bits & Bits.hasEnd != 0 && bits & Bits.ended == 0
  }

  func suspend(_ t: ModelThread) throws { _ = try change(t) { $0 + Bits.suspension } }

  func resume(_ t: ModelThread) throws {
    _ = try change(t) { $0 - Bits.suspension }
    try enqueue(t)
  }

  /// The thread that sets a target has made it.
  func setTarget(_ queue: Int, _ t: ModelThread) throws {
    try t.write(1, to: queues[queue])
    try t.store(queue, to: target, orderings[.setTarget])
  }

  // MARK: The end

  /// Returns what is wrong when nothing can move any more.
  func leftovers(_ end: FinalState) -> String? {
    if Self.wants(end[word]) { return "the source wants to be run, and nobody does" }
    if end[word] & Bits.enqueued != 0 { return "the source counts as enqueued" }
    if end[uninstallation] > 1 { return "uninstalled \(end[uninstallation]) times" }
    guard end[word] & Bits.cancelled != 0 else { return nil }
    if end[uninstallation] != end[installation] { return "cancelled, and not uninstalled" }
    if end[ends] > 1 { return "the cancel handler ran \(end[ends]) times" }
    return handlers.contains { end[$0] != 0 } ? "cancelled, and a handler is not freed" : nil
  }
}
