// Program — a few threads on a few locations, for exhaustive exploration.

/// A program of the model: locations, threads and what must hold at the end.
struct Program {
  struct AtomicDeclaration {
    let name: String
    let initial: Int
    let isMortal: Bool
  }

  struct PlainDeclaration {
    let name: String
    let initial: Int
  }

  struct ThreadDeclaration {
    let name: String
    let mayRemainBlocked: Bool
    let sections: [ModelThread.Section]
  }

  private(set) var atomics: [AtomicDeclaration] = []
  private(set) var plains: [PlainDeclaration] = []
  private(set) var threads: [ThreadDeclaration] = []
  private(set) var finalCheck: (@Sendable (FinalState) -> String?)?
  private(set) var observedAtEnd: [Atomic] = []

  init(_ declare: (inout Program) -> Void) {
    declare(&self)
  }

  /// Adds an atomic location. A mortal location can be freed, and no thread may touch it after
  /// that.
  mutating func atomic(
    _ name: String, _ initial: Int = 0, isMortal: Bool = false
  ) -> Atomic {
    atomics.append(AtomicDeclaration(name: name, initial: initial, isMortal: isMortal))
    return Atomic(index: atomics.count - 1)
  }

  mutating func atomics(_ name: String, count: Int, _ initial: Int = 0) -> [Atomic] {
    (0..<count).map { atomic("\(name)[\($0)]", initial) }
  }

  mutating func plain(_ name: String, _ initial: Int = 0) -> Plain {
    plains.append(PlainDeclaration(name: name, initial: initial))
    return Plain(index: plains.count - 1)
  }

  mutating func plains(_ name: String, count: Int, _ initial: Int = 0) -> [Plain] {
    (0..<count).map { plain("\(name)[\($0)]", initial) }
  }

  /// Adds a thread with one section.
  mutating func thread(
    _ name: String, mayRemainBlocked: Bool = false, _ body: @escaping ModelThread.Section
  ) {
    thread(name, mayRemainBlocked: mayRemainBlocked, sections: [body])
  }

  /// Adds a thread with several sections. If `mayRemainBlocked` is true, the thread may still
  /// sleep or wait after all others have ended.
  mutating func thread(
    _ name: String, mayRemainBlocked: Bool = false, sections: [ModelThread.Section]
  ) {
    threads.append(
      ThreadDeclaration(name: name, mayRemainBlocked: mayRemainBlocked, sections: sections))
  }

  /// Adds the last value of each location to the outcome of an execution.
  mutating func observeAtEnd(_ locations: Atomic...) {
    observedAtEnd += locations
  }

  /// Sets a check for the state in which nothing can move any more. The check returns what is
  /// wrong, or nil.
  mutating func atEnd(_ check: @escaping @Sendable (FinalState) -> String?) {
    finalCheck = check
  }
}

/// Memory when nothing can move any more.
struct FinalState {
  let memory: Memory

  /// The last write in the location's modification order.
  subscript(location: Atomic) -> Int {
    memory.atomics[location.index].messages.last!.value
  }

  subscript(location: Plain) -> Int {
    memory.plains[location.index].value
  }
}
