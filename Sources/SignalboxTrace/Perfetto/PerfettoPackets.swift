// PerfettoPackets — writes the packets of one sequence, and interns their
// names.

/// Writes the packets of a trace. It sends a name once, with the first event
/// that uses the name. Later events refer to the name by number.
struct PerfettoPackets {
  private typealias Field = PerfettoField

  /// An event on a track at one moment.
  struct Event {
    var time: TraceModel.Time
    var track: UInt64
    var type: UInt64
    var category = ""
    var name = ""
    var flow: UInt64 = 0
    /// Whether the flow ends here.
    var isLastOfFlow = false
    var value: Int64?
    var notes: [(name: String, value: Int64)] = []
    var texts: [(name: String, text: String)] = []

    /// The names of the notes, and then of the texts.
    fileprivate var noteNames: [String] { notes.map(\.name) + texts.map(\.name) }
  }

  private let start: UInt64
  private var message = ProtocolBuffer()
  private var categories: [String: UInt64] = [:]
  private var names: [String: UInt64] = [:]
  private var noteNames: [String: UInt64] = [:]

  /// Any number except 0: the trace has one sequence.
  private static let sequence: UInt64 = 1

  init(start: UInt64) { self.start = start }

  // MARK: Packets

  /// Writes the first packet, which selects the main clock and gives the other
  /// clocks' readings at the same moment.
  mutating func putClocks(wall: UInt64, to output: inout ByteOutput) {
    let start = start
    packet(&output) { packet in
      packet.put(Field.Packet.firstOnSequence, 1)
      packet.put(Field.Packet.sequenceFlags, Field.SequenceFlags.cleared)
      packet.put(Field.Packet.defaults) { $0.put(Field.Defaults.clock, Field.Clocks.monotonic) }
      packet.put(Field.Packet.clockSnapshot) { snapshot in
        for (clock, time) in [(Field.Clocks.monotonic, start), (Field.Clocks.realtime, wall)] {
          snapshot.put(Field.ClockSnapshot.clock) {
            $0.put(Field.ClockSnapshot.Clock.id, clock)
            $0.put(Field.ClockSnapshot.Clock.timestamp, time)
          }
        }
        snapshot.put(Field.ClockSnapshot.primary, Field.Clocks.monotonic)
      }
    }
  }

  /// Writes a track. `body` adds further fields.
  mutating func putTrack(
    _ uuid: UInt64, parent: UInt64 = 0, name: String = "", to output: inout ByteOutput,
    _ body: (inout ProtocolBuffer) -> Void = { _ in }
  ) {
    packet(&output) { packet in
      packet.put(Field.Packet.trackDescriptor) { track in
        track.put(Field.Track.uuid, uuid)
        if parent != 0 { track.put(Field.Track.parent, parent) }
        if !name.isEmpty { track.put(Field.Track.name, name) }
        body(&track)
      }
    }
  }

  mutating func put(_ event: Event, to output: inout ByteOutput) {
    let new = Interned(
      category: PerfettoPackets.number(event.category, &categories),
      name: PerfettoPackets.number(event.name, &names),
      notes: event.noteNames.map { PerfettoPackets.number($0, &noteNames) })
    let time = start + UInt64(max(0, event.time))
    packet(&output) { packet in
      packet.put(Field.Packet.timestamp, time)
      packet.put(Field.Packet.sequenceFlags, Field.SequenceFlags.needsState)
      if new.isAny { packet.put(Field.Packet.internedData) { new.put(event, &$0) } }
      packet.put(Field.Packet.trackEvent) { message in
        message.put(Field.Event.type, event.type)
        message.put(Field.Event.track, event.track)
        if new.category.id != 0 { message.put(Field.Event.category, new.category.id) }
        if new.name.id != 0 { message.put(Field.Event.name, new.name.id) }
        if let value = event.value { message.put(Field.Event.counterValue, signed: value) }
        if event.flow != 0 {
          let field = event.isLastOfFlow ? Field.Event.lastFlow : Field.Event.flow
          message.put(field, fixed: event.flow)
        }
        for (note, number) in zip(event.notes, new.notes) {
          message.put(Field.Event.annotation) {
            $0.put(Field.Event.Annotation.name, number.id)
            $0.put(Field.Event.Annotation.int, signed: note.value)
          }
        }
        for (note, number) in zip(event.texts, new.notes.dropFirst(event.notes.count)) {
          message.put(Field.Event.annotation) {
            $0.put(Field.Event.Annotation.name, number.id)
            $0.put(Field.Event.Annotation.string, note.text)
          }
        }
      }
    }
  }

  private mutating func packet(
    _ output: inout ByteOutput, _ body: (inout ProtocolBuffer) -> Void
  ) {
    message.removeAll()
    message.put(Field.Trace.packet) { packet in
      packet.put(Field.Packet.sequence, PerfettoPackets.sequence)
      body(&packet)
    }
    output.put(message.bytes)
  }

  // MARK: Names

  /// The numbers of an event's names, and which of them are new.
  private struct Interned {
    typealias Number = (id: UInt64, isNew: Bool)

    let category: Number
    let name: Number
    let notes: [Number]

    var isAny: Bool { category.isNew || name.isNew || notes.contains { $0.isNew } }

    func put(_ event: Event, _ data: inout ProtocolBuffer) {
      put(Field.Interned.categories, category, event.category, &data)
      put(Field.Interned.names, name, event.name, &data)
      for (number, name) in zip(notes, event.noteNames) {
        put(Field.Interned.annotationNames, number, name, &data)
      }
    }

    private func put(
      _ field: Int, _ number: Number, _ text: String, _ data: inout ProtocolBuffer
    ) {
      guard number.isNew else { return }
      data.put(field) {
        $0.put(Field.Interned.Entry.id, number.id)
        $0.put(Field.Interned.Entry.name, text)
      }
    }
  }

  /// The number of a text; 0 for an empty one.
  private static func number(
    _ text: String, _ known: inout [String: UInt64]
  ) -> Interned.Number {
    if text.isEmpty { return (0, false) }
    if let id = known[text] { return (id, false) }
    let id = UInt64(known.count + 1)
    known[text] = id
    return (id, true)
  }
}
