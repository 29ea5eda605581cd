// TraceRecording — a decoded and validated image.
//
// The decoder trusts nothing in an image: it compares each size, count and
// offset with the image before using the value, and reports a mismatch as an
// error with an offset. An image that ends too early is not an error, because
// the program may have been killed while it wrote. The decoder then takes every
// complete part and adds a note.

/// The events of a recording, chunk by chunk, and the names of their numbers.
///
/// The chunks are ordered by thread, and those of one thread by the order of
/// their opening, so each thread's events are in order.
package struct TraceRecording: Sendable {
  package var header: TraceHeader
  package var names: [TraceName]
  package var chunks: [TraceChunk]
  package var events: [TraceEvent]
  /// Further facts about the recording for the reader, as sentences.
  package var notes: [String]

  /// The earliest time of all events; nil without events.
  var firstTime: UInt64? {
    events.withUnsafeBufferPointer { events in
      guard events.count > 0 else { return nil }
      var (first, index) = (UInt64.max, 0)
      while index < events.count {
        if events[index].time < first { first = events[index].time }
        index += 1
      }
      return first
    }
  }

  /// Decodes an image, which must not change during the call.
  ///
  /// Takes O(bytes). Any thread may call it. The result does not refer to the
  /// bytes.
  package init(_ bytes: UnsafeRawBufferPointer) throws(TraceImageError) {
    var decoder = TraceDecoder(TraceImage(bytes))
    header = try decoder.header()
    names = try decoder.names(header)
    (chunks, events) = try decoder.chunks(header)
    notes = decoder.notes
  }

  /// Decodes an image.
  package init(_ bytes: [UInt8]) throws(TraceImageError) {
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(TraceImageError) in try TraceRecording(bytes) }
    }
    self = try result.get()
  }
}
