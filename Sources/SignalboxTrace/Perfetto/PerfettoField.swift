// PerfettoField — the field numbers of Perfetto's messages.
//
// Sources     github.com/google/perfetto, protos/perfetto/trace: trace.proto,
//             trace_packet.proto, clock_snapshot.proto, track_event/*.proto. A
//             test reads the output with the classes that Perfetto publishes.

enum PerfettoField {
  enum Trace {
    static let packet = 1
  }

  enum Packet {
    static let clockSnapshot = 6
    static let timestamp = 8
    static let sequence = 10
    static let trackEvent = 11
    static let internedData = 12
    static let sequenceFlags = 13
    static let defaults = 59
    static let trackDescriptor = 60
    static let firstOnSequence = 87
  }

  /// Bits of a packet's `sequence_flags`.
  enum SequenceFlags {
    static let cleared: UInt64 = 1
    static let needsState: UInt64 = 2
  }

  enum Defaults {
    static let clock = 58
  }

  enum ClockSnapshot {
    static let clock = 1
    static let primary = 2
    enum Clock {
      static let id = 1
      static let timestamp = 2
    }
  }

  enum Clocks {
    static let realtime: UInt64 = 1
    static let monotonic: UInt64 = 3
  }

  enum Track {
    static let uuid = 1
    static let name = 2
    static let process = 3
    static let thread = 4
    static let parent = 5
    static let counter = 8
    enum Process {
      static let pid = 1
      static let name = 6
    }
    enum Thread {
      static let pid = 1
      static let tid = 2
      static let name = 5
    }
    enum Counter {
      static let unit = 3
      static let count: UInt64 = 2
    }
  }

  enum Interned {
    static let categories = 1
    static let names = 2
    static let annotationNames = 3
    enum Entry {
      static let id = 1
      static let name = 2
    }
  }

  enum Event {
    static let category = 3
    static let annotation = 4
    static let type = 9
    static let name = 10
    static let track = 11
    static let counterValue = 30
    static let flow = 47
    static let lastFlow = 48
    enum Annotation {
      static let name = 1
      static let int = 4
      static let string = 6
    }
  }

  /// Values of an event's `type`.
  enum EventType {
    static let sliceBegins: UInt64 = 1
    static let sliceEnds: UInt64 = 2
    static let instant: UInt64 = 3
    static let counter: UInt64 = 4
  }
}
