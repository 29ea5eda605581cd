// SocketFrame — the bytes of a message, as socket ports send them.
//
// All numbers have 32 bits, most significant byte first:
//
// mark · length of everything after the number · number (msgid) · parts
// a part: kind · length · bytes. The first part is the answer port; each further part is a
// component.
// kinds: 0 nothing, 1 data, 2 a port: family, type, protocol, address
//
// The reader trusts nothing: it compares every length with the bytes that are there.

import FoundationEssentials
import SignalboxRuntime

enum SocketFrame {
  private static var mark: UInt32 { 0x5342_504D }
  private static var headerSize: Int { 12 }

  private enum Kind: UInt32 { case nothing, data, port }

  /// The maximum length of a message's parts together, in bytes.
  static var limit: Int { 16 << 20 }

  // MARK: Writing

  /// - Returns: the bytes, or nil if the message is too large.
  static func bytes(of envelope: Envelope, to port: String) -> [UInt8]? {
    var parts: [UInt8] = []
    if let answers = envelope.answers {
      append(answers, to: &parts, port)
    } else {
      append(.nothing, 0, to: &parts)
    }
    for one in envelope.components ?? [] {
      if let data = one as? Data {
        guard parts.count + data.count <= limit else { return nil }
        append(.data, data.count, to: &parts)
        parts.append(contentsOf: data)
      } else if let component = one as? Port {
        append(component, to: &parts, port)
      }
    }
    guard parts.count <= limit else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(headerSize + parts.count)
    for number in [mark, UInt32(parts.count), envelope.number] { append(number, to: &bytes) }
    bytes += parts
    return bytes
  }

  private static func append(_ port: Port, to bytes: inout [UInt8], _ receiver: String) {
    guard let signature = (port as? SocketPort)?.signature else {
      clientBug(
        "\(port) was sent to \(receiver), which is in another process: only a SocketPort can be "
          + "reached from there. Send a SocketPort, or send none.")
    }
    append(.port, 12 + signature.address.count, to: &bytes)
    for number in [signature.family, signature.type, signature.protocol] {
      append(UInt32(bitPattern: number), to: &bytes)
    }
    bytes.append(contentsOf: signature.address)
  }

  private static func append(_ kind: Kind, _ length: Int, to bytes: inout [UInt8]) {
    append(kind.rawValue, to: &bytes)
    append(UInt32(length), to: &bytes)
  }

  private static func append(_ number: UInt32, to bytes: inout [UInt8]) {
    for shift: UInt32 in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
  }

  // MARK: Reading

  /// What the bytes of a connection begin with.
  enum Found {
    case unfinished
    case message(number: UInt32, answers: SocketSignature?, parts: [Part], size: Int)
    /// Not a message, with the reason.
    case garbage(String)
  }

  enum Part {
    case data(Data)
    case port(SocketSignature)
  }

  static func read(_ bytes: ArraySlice<UInt8>) -> Found {
    guard bytes.count >= 4 else { return .unfinished }
    var rest = bytes
    guard take(&rest) == mark else { return .garbage("bytes that no socket port sends") }
    guard let length = take(&rest), let number = take(&rest) else {
      // Reject a length that is too large before the rest of the header arrives.
      return bytes.count >= 8 && number(at: 4, of: bytes) > limit ? tooLarge : .unfinished
    }
    if Int(length) > limit { return tooLarge }
    guard rest.count >= Int(length) else { return .unfinished }
    rest = rest.prefix(Int(length))
    var parts: [Part?] = []
    while !rest.isEmpty {
      guard let kind = take(&rest).flatMap(Kind.init(rawValue:)), let size = take(&rest),
        Int(size) <= rest.count, let part = part(kind, rest.prefix(Int(size)))
      else { return .garbage("a message with an invalid part") }
      rest = rest.dropFirst(Int(size))
      parts.append(part.part)
    }
    guard let first = parts.first else { return .garbage("a message without a first part") }
    var answers: SocketSignature?
    switch first {
    case .port(let signature): answers = signature
    case nil: break
    case .data: return .garbage("a message whose reply port is data")
    }
    let components = parts.dropFirst().compactMap { $0 }
    guard components.count == parts.count - 1 else {
      return .garbage("a message with an empty component")
    }
    return .message(
      number: number, answers: answers, parts: components, size: headerSize + Int(length))
  }

  private static var tooLarge: Found { .garbage("a message of more than \(limit) bytes") }

  private struct Taken { let part: Part? }

  private static func part(_ kind: Kind, _ bytes: ArraySlice<UInt8>) -> Taken? {
    switch kind {
    case .nothing: return bytes.isEmpty ? Taken(part: nil) : nil
    case .data: return Taken(part: .data(Data(bytes)))
    case .port:
      var rest = bytes
      guard let family = take(&rest), let type = take(&rest), let `protocol` = take(&rest),
        rest.count >= 2, rest.count <= SocketSignature.addressLimit
      else { return nil }
      return Taken(
        part: .port(
          SocketSignature(
            family: Int32(bitPattern: family), type: Int32(bitPattern: type),
            protocol: Int32(bitPattern: `protocol`), address: Data(rest))))
    }
  }

  private static func take(_ bytes: inout ArraySlice<UInt8>) -> UInt32? {
    guard bytes.count >= 4 else { return nil }
    defer { bytes = bytes.dropFirst(4) }
    return UInt32(number(at: 0, of: bytes))
  }

  private static func number(at offset: Int, of bytes: ArraySlice<UInt8>) -> Int {
    let start = bytes.startIndex + offset
    return bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
  }
}
