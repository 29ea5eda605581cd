// TraceCapture+Intervals — the program's own intervals: the marks at their two
// ends, with one identity.
//
// Both ends are events of the kind `mark`, so a reader that does not know
// intervals shows two marks with the interval's name. The beginning takes the
// recorder's lock once, for the name's number and the identity; the end takes
// no lock.

import CSignalbox
import SignalboxRuntime

extension TraceCapture {
  /// An interval in progress, or one that is not recorded.
  package struct Interval: Sendable {
    /// The recording in which it began.
    let session: UInt32
    /// Whether the thread that begins it also ends it, before any interval
    /// around it ends.
    let isScoped: Bool
    /// Distinct among the intervals of a recording; 0 if it is not recorded.
    let number: UInt64
    /// The number of the text that names it.
    let name: UInt64

    /// An interval that is not recorded.
    package static var none: Interval {
      Interval(session: 0, isScoped: false, number: 0, name: 0)
    }
  }

  /// Records that an interval begins.
  ///
  /// - Parameter details: a text that tells this interval from others of the
  ///   same name; may be empty.
  package static func beginInterval(
    _ name: StaticString, _ details: String, isScoped: Bool
  ) -> Interval {
    guard isOn else { return .none }
    let session = TraceSession.current
    let time = Clock.uptime.now
    let numbers = shared.number(name, details, at: time)
    guard numbers.interval != 0 else { return .none }
    let interval = Interval(
      session: session.number, isScoped: isScoped, number: numbers.interval, name: numbers.name)
    record(
      TraceStep(
        .mark, flags: TraceMarkFlags.begins.rawValue | interval.flags, b: numbers.details,
        object: interval.number, detail: interval.name), of: session, at: time)
    return interval
  }

  /// Records that the interval ends, if it began in the current recording.
  package static func endInterval(_ interval: Interval) {
    let session = TraceSession.current
    guard isOn, interval.number != 0, interval.session == session.number else { return }
    record(
      TraceStep(
        .mark, flags: TraceMarkFlags.ends.rawValue | interval.flags, object: interval.number,
        detail: interval.name), of: session)
  }

  /// The numbers of an interval that begins, and of its texts.
  private func number(
    _ name: StaticString, _ details: String, at time: UInt64
  ) -> (interval: UInt64, name: UInt64, details: UInt32) {
    var cut = TraceText.cut(details, to: TraceNames.longest)
    return cut.withUTF8 { bytes in
      lock.lock()
      defer { lock.unlock() }
      guard recording != nil, recording!.isOn else { return (0, 0, 0) }
      recording!.lastInterval += 1
      return (
        recording!.lastInterval, recording!.text(ofInterval: name, at: time),
        bytes.isEmpty ? 0 : recording!.text(ofDetails: bytes, at: time)
      )
    }
  }
}

extension TraceCapture.Interval {
  fileprivate var flags: UInt8 { isScoped ? TraceMarkFlags.isScoped.rawValue : 0 }
}

extension TraceCapture.Recording {
  /// How many interval names keep their number. Any further name gets a new
  /// number each time, as a mark's text does.
  private static var mostIntervalNames: Int { 1024 }

  /// The number of an interval's name. The text is written once in a recording.
  fileprivate mutating func text(ofInterval name: StaticString, at time: UInt64) -> UInt64 {
    // A constant never moves. One that is a single character has no address;
    // its value is less than any address.
    let key =
      name.hasPointerRepresentation
      ? UInt(bitPattern: name.utf8Start) : UInt(name.unicodeScalar.value)
    if let known = intervalNames[key] { return known }
    lastText += 1
    let number = lastText
    if intervalNames.count < Self.mostIntervalNames { intervalNames[key] = number }
    var cut = TraceText.cut(name.description, to: TraceNames.longest)
    cut.withUTF8 { self.name(.text, id: number, when: time, $0) }
    return number
  }

  /// The number of a text that only one interval has; 0 if it does not fit into
  /// an event.
  fileprivate mutating func text(
    ofDetails bytes: UnsafeBufferPointer<UInt8>, at time: UInt64
  ) -> UInt32 {
    guard lastText < UInt64(UInt32.max) else { return 0 }
    lastText += 1
    name(.text, id: lastText, when: time, bytes)
    return UInt32(lastText)
  }
}
