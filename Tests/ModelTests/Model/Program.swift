// Program — a few threads on a few locations, to be explored exhaustively.

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

  /// An atomic location. A mortal one can be freed, after which no thread may
  /// touch it.
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

  /// A thread of one section.
  mutating func thread(
    _ name: String, mayRemainBlocked: Bool = false, _ body: @escaping ModelThread.Section
  ) {
    thread(name, mayRemainBlocked: mayRemainBlocked, sections: [body])
  }

  /// A thread of several sections. `mayRemainBlocked`: that it sleeps or waits when
  /// all others have ended is no failure.
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

  /// What must hold when nothing can move any more: returns what does not.
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
