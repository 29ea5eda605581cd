// RecordingRequest — asks a process for a recording, and copies it.
//
// The tool shows the process regularly that it is still there (`pulse`). Before each write it
// checks that the number still means the same process and program: otherwise it might write into
// the memory of another one.

import CSignalboxTool
import Glibc

package struct RecordingRequest {
  private let subject: Subject
  private let words: RequestWords
  private let memory: any WritableMemory
  package let wish: Wish
  private let number = UInt64(csb_tool_random())

  package struct Wish {
    /// In nanoseconds.
    package let duration: UInt64
    /// Bytes for events.
    package let memory: UInt64

    package init(duration: UInt64, memory: UInt64) {
      self.duration = duration
      self.memory = memory
    }
  }

  /// The process that is asked.
  struct Subject {
    let process: Int32
    /// Its number in its own namespace.
    let inner: UInt64
    /// The process, as a sentence names it.
    let title: String
    /// Whether the number still means the same process and program.
    let isSame: () -> Bool

    var gone: InspectionRefusal {
      InspectionRefusal(
        .gone, "\(title) has ended, or begun another program: its recording is lost")
    }

    func refusal(_ code: Int32) -> InspectionRefusal {
      isSame() ? InspectionRefusal(process, code) : gone
    }
  }

  /// What the request needs from the process that makes it.
  package struct Surroundings {
    /// In nanoseconds.
    var now: () -> UInt64 = { UInt64(csb_tool_uptime()) }
    /// Waits for at most this many milliseconds.
    var pause: (Int32) -> Void = { _ = csb_tool_poll(nil, 0, $0) }
    /// Whether the user has interrupted the command, and wants only what was recorded until then.
    var isInterrupted: () -> Bool = { csb_tool_is_interrupted() != 0 }

    package init() {}
  }

  /// The interval between two looks at the process, in milliseconds.
  static let step: Int32 = 50
  /// How long the process may take to make the copy, and to begin, in nanoseconds.
  static let limit: UInt64 = 30_000_000_000
  /// The copy is read in pieces of this many bytes.
  private static let piece = 1 << 20

  /// nil if the engine cannot be asked.
  init?(_ subject: Subject, _ table: EngineTable, _ memory: any WritableMemory, _ wish: Wish) {
    guard let words = RequestWords(table, memory, refusal: subject.refusal) else { return nil }
    self.subject = subject
    self.words = words
    self.memory = memory
    self.wish = wish
  }

  /// Makes a recording, and passes its bytes to `take`, piece by piece.
  ///
  /// - Parameters:
  ///   - hasBegun: called when the recording has begun.
  ///   - take: returns 0 or an errno.
  package func carryOut(
    _ surroundings: Surroundings, hasBegun: () -> Void, take: (UnsafeRawBufferPointer) -> Int32
  ) throws(InspectionRefusal) {
    try begin(surroundings)
    try read(try follow(surroundings, hasBegun), take)
    if subject.isSame() { try words.order(.free) }
  }

  // MARK: Asking

  /// Asks, and waits until the process takes the request.
  private func begin(_ here: Surroundings) throws(InspectionRefusal) {
    if try words.isServingAnother(than: number, subject.inner) { throw busy }
    guard subject.isSame() else { throw subject.gone }
    try words.ask(number, duration: wish.duration, memory: wish.memory, of: subject.inner)
    let began = here.now()
    while true {
      if try words.served() == number { return }
      guard subject.isSame() else { throw subject.gone }
      if here.isInterrupted() || here.now() - began > wish.duration {
        try words.withdraw()
        // A probe may have taken the request at the last moment.
        if try words.served() == number { return }
        throw nothing
      }
      if try words.isServingAnother(than: number, subject.inner) {
        try words.withdraw()
        throw busy
      }
      if try !words.isAsked() { try words.askAgain() }
      here.pause(RecordingRequest.step)
    }
  }

  private struct Copy {
    let address: UInt64
    let size: Int
  }

  /// Waits for the copy of the recording.
  private func follow(
    _ here: Surroundings, _ tell: () -> Void
  ) throws(InspectionRefusal) -> Copy {
    let began = here.now()
    var count: UInt8 = 0
    var hasBegun = false
    while true {
      let answer = try words.answer()
      guard answer.served == number, subject.isSame() else { throw subject.gone }
      if answer.phase >= Phase.running.rawValue, answer.phase != Phase.refused.rawValue, !hasBegun {
        hasBegun = true
        tell()
      }
      switch Phase(rawValue: answer.phase) {
      case .ready: return try checked(answer)
      case .refused: throw refusal(answer)
      case .over:
        throw refusal(
          "has ended the recording, because it did not hear of this command for some seconds")
      case .claimed, .starting, .running: break
      case nil: throw refusal("gives an answer that is not known here")
      }
      if here.now() - began > wish.duration + RecordingRequest.limit {
        throw refusal("does not go on: it is stopped, or the machine is busy")
      }
      count &+= 1
      try words.pulse(count)
      if here.isInterrupted() { try words.order(.end) }
      here.pause(RecordingRequest.step)
    }
  }

  private enum Phase: UInt64 {
    case claimed = 0
    case starting = 1
    case running = 2
    case ready = 3
    case refused = 4
    case over = 5
  }

  /// The copy has the events, names that take at most half as much more, and names of places.
  private func checked(_ answer: RequestWords.Answer) throws(InspectionRefusal) -> Copy {
    let most = wish.memory * 2 + Limits.recordingNames
    guard answer.copy != 0, answer.size > 0, answer.size <= most else {
      throw refusal("shows a recording of \(answer.size) bytes, which cannot be right")
    }
    return Copy(address: answer.copy, size: Int(answer.size))
  }

  private func read(
    _ copy: Copy, _ take: (UnsafeRawBufferPointer) -> Int32
  ) throws(InspectionRefusal) {
    var piece = [UInt8](repeating: 0, count: RecordingRequest.piece)
    var done = 0
    var count: UInt8 = 0
    while done < copy.size {
      let length = min(copy.size - done, piece.count)
      let error = piece.withUnsafeMutableBytes {
        memory.copy(
          from: copy.address &+ UInt64(done),
          into: UnsafeMutableRawBufferPointer(rebasing: $0[..<length]))
      }
      guard subject.isSame() else { throw subject.gone }
      if error != 0 { throw subject.refusal(error) }
      let refused = piece.withUnsafeBytes { take(UnsafeRawBufferPointer(rebasing: $0[..<length])) }
      if refused != 0 {
        throw InspectionRefusal(
          .noRecording,
          "there is no memory here for the recording: \(String(cString: strerror(refused)))")
      }
      done += length
      count &+= 1
      try words.pulse(count)
    }
  }

  // MARK: Refusals

  private func refusal(_ words: String) -> InspectionRefusal {
    InspectionRefusal(.noRecording, "\(subject.title) \(words)")
  }

  private var busy: InspectionRefusal { refusal("is being recorded by another `signalbox trace`") }

  private var nothing: InspectionRefusal {
    refusal(
      "did nothing with Signalbox in that time, so there is nothing to record: `signalbox report "
        + "\(subject.process)` shows which threads wait, and for what")
  }

  private func refusal(_ answer: RequestWords.Answer) -> InspectionRefusal {
    let code = String(cString: strerror(Int32(truncatingIfNeeded: answer.error)))
    switch answer.refusal {
    case 1:
      return refusal(
        "records itself (SIGNALBOX_TRACE, SIGNALBOX_ADVICE), or has a recording of TraceRecorder: a process has one"
      )
    case 2: return refusal("gets no memory for the recording: \(code)")
    case 3: return refusal("gets no thread for the recording: \(code)")
    case 4:
      return refusal(
        "is linked without the module SignalboxTrace: link it with the product SignalboxTrace as "
          + "well")
    default: return refusal("makes no recording, and the reason is not known here")
    }
  }
}

extension Target {
  /// A request to the engine in use.
  package func recordingRequest(
    _ wish: RecordingRequest.Wish
  ) throws(InspectionRefusal) -> RecordingRequest {
    let status = ProcessFile.text("/proc/\(process)/status") ?? ""
    let inner = ProcessFile.words("NSpid", in: status).last.flatMap { UInt64($0) }
    let (number, thread) = (process, reader)
    let identity = ProcessIdentity(number, thread: thread)
    let subject = RecordingRequest.Subject(
      process: process, inner: inner ?? UInt64(process), title: "process \(process) (\(name))"
    ) { identity != nil && ProcessIdentity(number, thread: thread) == identity }
    let able = engines.compactMap { engine in
      RecordingRequest(subject, engine.table, ProcessMemory(of: thread), wish).map {
        (request: $0, isInUse: Inspection(engine, memory)?.isInUse ?? false)
      }
    }
    if let first = able.first(where: \.isInUse) ?? able.first { return first.request }
    throw InspectionRefusal(
      .otherVersion,
      "\(subject.title) has a Signalbox from before `signalbox trace`, in \(engines[0].path): build it anew"
    )
  }
}
