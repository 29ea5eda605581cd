// TraceRecording — an image, decoded and found to be in order.
//
// Nothing in an image is believed: each size, count and offset is compared with what is there
// before it is used, and what does not fit is an error with its place. An image that is too
// short is another matter: the program was killed while it wrote. What is whole is taken, and
// a note says so.

import SignalboxRuntime

/// The events of a recording, chunk by chunk, and what their numbers stand for.
///
/// The chunks are ordered by thread, and a thread's by the order of their opening, so that each
/// thread's events stand in its own order.
package struct TraceRecording: Sendable {
  package var header: TraceHeader
  package var names: [TraceName]
  package var chunks: [TraceChunk]
  package var events: [TraceEvent]
  /// What a reader should know besides: sentences.
  package var notes: [String]

  /// Decodes an image. It must not change meanwhile.
  ///
  /// O(bytes). Any thread; nothing is kept of the bytes.
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
