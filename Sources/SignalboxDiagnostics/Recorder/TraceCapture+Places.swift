// TraceCapture+Places — where in the program an event happened.
//
// Taking a backtrace costs a few microseconds, so only few events get one
// (`TracePlaceSampler`). Finding function names costs a few milliseconds for
// each binary, so the recorder looks them up for all places together, when it
// copies the recording.

import CSignalbox
import SignalboxRuntime

extension TraceCapture {
  /// The number of the text that names the current place of this thread.
  ///
  /// - Parameter object: the number of the object on which the event happens.
  /// - Returns: 0 if the sampler skips this event or the table is full.
  @inline(never)
  static func placeOfThisStep(
    _ step: TracePlaceOf, _ object: UInt64, in session: TraceSession
  ) -> UInt64 {
    let thread = TraceThread.ofThisThread ?? shared.beginThread()
    let key = object << 2 | UInt64(step.rawValue)
    let isTurn = thread.pointee.places.isTurn(of: key, in: session.number, at: Clock.uptime.now)
    guard isTurn else { return 0 }
    return shared.placeOfThisThread()
  }

  /// Like `placeOfThisStep`, for an event whose place is always recorded.
  @inline(never)
  func placeOfThisThread() -> UInt64 {
    withUnsafeTemporaryAllocation(of: UInt.self, capacity: TracePlaces.depth) { buffer in
      let count = csb_backtrace(buffer.baseAddress!, buffer.count)
      return number(of: buffer.prefix(count))
    }
  }

  private func number(of stack: Slice<UnsafeMutableBufferPointer<UInt>>) -> UInt64 {
    let key = TracePlaces.key(of: stack)
    let known: UInt64? = lock.withLock {
      guard recording != nil else { return 0 }
      return recording!.places.number(of: key) ?? (recording!.places.hasRoom ? nil : 0)
    }
    if let known { return known }
    let addresses = Array(stack)
    var text = TraceText.cut(PlaceWords.files(addresses), to: TraceNames.longest)
    return text.withUTF8 { bytes in
      lock.lock()
      defer { lock.unlock() }
      guard recording != nil, recording!.isOn else { return 0 }
      if let known = recording!.places.number(of: key) { return known }
      recording!.lastText += 1
      let number = recording!.lastText
      let now = Clock.uptime.now
      recording!.name(.text, id: number, when: now, bytes)
      recording!.places.add(TracePlaces.Place(id: number, when: now, addresses: addresses), key)
      return number
    }
  }

  /// Appends the functions' names after the other names of a copy. Appends
  /// nothing if another recording has begun.
  func namePlaces(of memory: TraceMemory, in copy: TraceMemory) {
    let (places, functions) = functions(of: memory)
    var names = TraceNames(goingOnIn: copy)
    for (place, function) in zip(places, functions) {
      guard let function else { continue }
      var text = TraceText.cut(function, to: TraceNames.longest)
      text.withUTF8 { names.append(.text, id: place.id, when: place.when, $0) }
    }
  }

  /// The bytes that `namePlaces` needs, with a reserve for places that other
  /// threads add in between.
  func sizeOfPlaceNames(of memory: TraceMemory) -> Int {
    let (places, functions) = functions(of: memory)
    if places.isEmpty { return 0 }
    let more = 64 << 10
    return functions.reduce(more) {
      $0 + ($1.map { TraceNames.size(min($0.utf8.count, TraceNames.longest)) } ?? 0)
    }
  }

  private func functions(of memory: TraceMemory) -> ([TracePlaces.Place], [String?]) {
    let places = lock.withLock { isCurrent(memory) ? recording!.places.all : [] }
    guard !places.isEmpty else { return ([], []) }
    if places.allSatisfy({ $0.function != nil }) { return (places, places.map { $0.function! }) }
    var words = PlaceWords(places.lazy.filter { $0.function == nil }.flatMap(\.addresses))
    let functions = places.map { $0.function ?? words.function($0.addresses) }
    lock.withLock {
      if isCurrent(memory) { recording!.places.keep(functions) }
    }
    return (places, functions)
  }
}
