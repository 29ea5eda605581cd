// WatchedDescriptors — the descriptors in a loop's epoll set and their sources. They belong to
// one mode: the one in which the loop runs or ran last.
//
// States      of a descriptor: in the set; always ready, because the system does not watch its kind
//             of file; closed, so never ready; set aside, which means removed from the set while
//             one of its sources runs the loop again from its callback. Otherwise the nested run
//             would begin with the same source, and so on without end.
// Touching    `busy`, `hasAside`, `noted`, `turn`, `round`: the loop's own thread. Everything
//             else: under the loop's lock.
// Invariants  I1  `entries` holds exactly the descriptors of `mode`, each with its sources in
//                 the mode.
//             I2  if a descriptor has left the set and its number has entered the set again, the
//                 generation of an old event differs from the generation of the entry.

import CSignalbox
import SignalboxRuntime

final class WatchedDescriptors {
  enum State { case inSet, always, closed, aside }

  struct Entry {
    var state: State
    let generation: UInt32
    var sources: [PortSource]
  }

  /// A source that is ready, with the descriptor that reported it.
  typealias Ready = (source: PortSource, descriptor: Int32?)

  fileprivate(set) var mode: LoopMode?
  fileprivate(set) var entries: [Int32: Entry] = [:]
  /// The number of entries that are always ready.
  fileprivate var always = 0
  /// Whether there is an always-ready entry whose source is not being performed right now.
  var hasAlwaysReady: Bool {
    always > 0
      && (busy.isEmpty || entries.contains { $0.value.state == .always && !busy.contains($0.key) })
  }
  fileprivate var lastGeneration: UInt32 = 0
  /// Whether the set may hold a file that cannot be removed from it, because the descriptor with
  /// which the file was added was closed while the file stays open under another number.
  fileprivate(set) var mustRenew = false
  fileprivate var warnings: [String] = []

  /// What the last poll or sleep has found.
  fileprivate(set) var noted: [Ready] = []
  /// The descriptors whose sources are being performed, the innermost last.
  var busy: [Int32] = []
  fileprivate(set) var hasAside = false
  /// Incremented by each pass that performs ports, including those of nested runs.
  private(set) var round = 0
  /// Incremented by each pass that finds several ready sources. It rotates the sources, so that
  /// no source is always the last.
  fileprivate var turn = 0

  func takeWarnings() -> [String] {
    if warnings.isEmpty { return [] }
    defer { warnings = [] }
    return warnings
  }

  func beginRound() -> Int {
    round &+= 1
    return round
  }

  /// Forgets all entries, because the set is empty now.
  ///
  /// - Returns: the entries, to be freed without the lock.
  func forgetAll() -> [Int32: Entry] {
    defer { entries = [:] }
    mode = nil
    always = 0
    mustRenew = false
    return entries
  }

  // MARK: Ready sources

  /// Records the sources of the events, replacing earlier records.
  ///
  /// - Returns: whether any source is ready.
  func note(
    _ events: UnsafeMutableBufferPointer<LoopSleeper.Event>.SubSequence, _ sleeper: LoopSleeper
  ) -> Bool {
    noted = []
    var isReady = hasAlwaysReady
    for event in events {
      let descriptor = Int32(truncatingIfNeeded: event.token & 0xFFFF_FFFF)
      guard var entry = entries[descriptor], entry.state == .inSet,
        event.token == WatchedDescriptors.token(descriptor, entry.generation)
      else { continue }
      if busy.contains(descriptor) {
        sleeper.sleeper.remove(descriptor)
        entry.state = .aside
        entries[descriptor] = entry
        hasAside = true
      } else {
        isReady = true
        for source in entry.sources { noted.append((source, descriptor)) }
      }
    }
    return isReady
  }

  /// All sources that may have work, sorted by order. Sources of the same order rotate, so that
  /// each comes first in some pass.
  func takeReady(_ mode: LoopMode) -> [Ready] {
    var ready = noted
    noted = []
    if always > 0 && self.mode === mode {
      for (descriptor, entry) in entries where entry.state == .always {
        if busy.contains(descriptor) { continue }
        for source in entry.sources { ready.append((source, descriptor)) }
      }
    }
    for box in mode.ports.boxes where box.isReady { ready.append((box, nil)) }
    guard ready.count > 1 else { return ready }
    turn &+= 1
    let first = turn % ready.count
    return (ready[first...] + ready[..<first]).enumerated()
      .sorted { ($0.element.source.order, $0.offset) < ($1.element.source.order, $1.offset) }
      .map(\.element)
  }

  // MARK: The set

  /// Greater than the tokens that do not belong to sources, since a generation is never 0.
  fileprivate static func token(_ descriptor: Int32, _ generation: UInt32) -> UInt64 {
    UInt64(generation) << 32 | UInt64(UInt32(bitPattern: descriptor))
  }

  fileprivate func open(_ descriptor: Int32, for sources: [PortSource], _ sleeper: LoopSleeper) {
    lastGeneration = lastGeneration == .max ? 1 : lastGeneration + 1
    let error = sleeper.sleeper.add(
      descriptor, token: WatchedDescriptors.token(descriptor, lastGeneration),
      bits: DescriptorSleeper.readable)
    let state = state(after: error, descriptor)
    if state == .always { always += 1 }
    entries[descriptor] = Entry(state: state, generation: lastGeneration, sources: sources)
  }

  private func state(after error: Int32, _ descriptor: Int32) -> State {
    switch error {
    case 0: return .inSet
    case EPERM:
      // A file or a directory: the system offers nothing to wait for.
      return .always
    case EBADF:
      warnings.append(
        "the descriptor \(descriptor) of a CFRunLoopSource is closed, so the source is never "
          + "performed again: invalidate a source before its descriptor is closed")
      return .closed
    case EEXIST:
      // The set still holds this file under this number, from before the number was closed.
      mustRenew = true
      return .closed
    case EINVAL, ELOOP:
      clientBug(
        "the descriptor \(descriptor) of a CFRunLoopSource is the epoll descriptor on which its own "
          + "run loop sleeps, or an epoll descriptor that watches it: the loop would wait for itself. "
          + "Watch another descriptor."
      )
    default:
      environmentFailure(
        "epoll_ctl", error,
        "a run loop cannot watch one more descriptor; ENOSPC means that the user watches too "
          + "many (fs.epoll.max_user_watches), ENOMEM that the kernel has no memory for it.")
    }
  }

  fileprivate func close(_ descriptor: Int32, _ entry: Entry, _ sleeper: LoopSleeper) {
    entries[descriptor] = nil
    if entry.state == .always { always -= 1 }
    guard entry.state == .inSet else { return }
    if sleeper.sleeper.remove(descriptor) != 0 { noteEarlyClose(descriptor) }
  }

  fileprivate func noteEarlyClose(_ descriptor: Int32) {
    mustRenew = true
    warnings.append(
      "the descriptor \(descriptor) of a CFRunLoopSource was closed while its source was in the "
        + "mode: invalidate a source before its descriptor is closed")
  }
}

// MARK: - Under the loop's lock

extension CFRunLoop {
  /// Fills the set with the descriptors of this mode.
  func watch(_ mode: LoopMode, with sleeper: LoopSleeper) {
    if watched.mode === mode { return }
    var wanted: [Int32: [PortSource]] = [:]
    if mode.ports.haveDescriptors {
      for source in mode.ports.sources {
        if let descriptor = source.descriptor { wanted[descriptor, default: []].append(source) }
      }
    }
    for (descriptor, entry) in watched.entries {
      if let sources = wanted.removeValue(forKey: descriptor) {
        watched.entries[descriptor]?.sources = sources
      } else {
        watched.close(descriptor, entry, sleeper)
      }
    }
    for (descriptor, sources) in wanted { watched.open(descriptor, for: sources, sleeper) }
    watched.mode = mode
  }

  /// Adds a source to the set, if the set holds this mode's descriptors.
  ///
  /// - Returns: whether the loop must wake, because the source is always ready or the set must be
  ///   renewed.
  func watch(_ source: PortSource, in mode: LoopMode) -> Bool {
    guard let descriptor = source.descriptor, let sleeper = setInUse(mode) else { return false }
    if var entry = watched.entries[descriptor], isStillThere(descriptor, entry, sleeper) {
      entry.sources.append(source)
      watched.entries[descriptor] = entry
    } else {
      let others = watched.entries.removeValue(forKey: descriptor)?.sources ?? []
      // The old file may still be in the set: this number of it was closed, but it is open under
      // another one.
      if !others.isEmpty { watched.noteEarlyClose(descriptor) }
      watched.open(descriptor, for: others + [source], sleeper)
    }
    return watched.entries[descriptor]?.state == .always || watched.mustRenew
  }

  /// Whether the descriptor still refers to the same file, as far as the system shows.
  private func isStillThere(
    _ descriptor: Int32, _ entry: WatchedDescriptors.Entry, _ sleeper: LoopSleeper
  ) -> Bool {
    switch entry.state {
    case .inSet:
      sleeper.sleeper.change(
        descriptor, token: WatchedDescriptors.token(descriptor, entry.generation),
        bits: DescriptorSleeper.readable) == 0
    case .always, .aside: true
    case .closed: false
    }
  }

  /// Removes a source from the set, if the set holds this mode's descriptors.
  ///
  /// - Returns: whether the loop must renew its set.
  func unwatch(_ source: PortSource, in mode: LoopMode) -> Bool {
    guard let descriptor = source.descriptor, let sleeper = setInUse(mode),
      var entry = watched.entries[descriptor]
    else { return false }
    entry.sources.removeAll { $0 === source }
    if entry.sources.isEmpty {
      watched.close(descriptor, entry, sleeper)
    } else {
      watched.entries[descriptor] = entry
    }
    return watched.mustRenew
  }

  /// Puts a descriptor back into the set after its source was performed.
  func bringBack(_ descriptor: Int32) {
    watched.hasAside = watched.entries.contains {
      $0.value.state == .aside && $0.key != descriptor
    }
    guard let entry = watched.entries[descriptor], entry.state == .aside,
      let sleeper = watched.mode.flatMap({ setInUse($0) }), !watched.busy.contains(descriptor)
    else { return }
    watched.open(descriptor, for: entry.sources, sleeper)
  }

  /// The sleeper, if its set holds the mode's descriptors.
  private func setInUse(_ mode: LoopMode) -> LoopSleeper? {
    guard watched.mode === mode, let sleeper = lazySleeper.load(), sleeper.isOfThisProcess else {
      return nil
    }
    return sleeper
  }
}
