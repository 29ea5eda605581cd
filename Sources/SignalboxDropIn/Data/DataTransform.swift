// DataTransform — dispatch_data_create_with_transform, which the toolchain's library exports and
// its headers do not declare.
//
// There are two families of formats: bytes and their codes as characters (none, base32, base32hex,
// base64), and the encodings of text (utf8, utf16le, utf16be, and for input only utf_any: the
// encoding that the byte order mark names). The data is decoded from the input's format and encoded
// in the output's. Both must be of the same family.

import CSignalboxDropIn
import SignalboxDispatch
import SignalboxRuntime

/// A format, decoded from its address.
private enum DataFormat {
  case bytes(BaseCode?)
  case text(UnicodeCode?)

  init(at address: UnsafeRawPointer?, _ call: StaticString) {
    switch csd_format_at(address) {
    case CSD_FORMAT_NONE: self = .bytes(nil)
    case CSD_FORMAT_BASE32: self = .bytes(.base32)
    case CSD_FORMAT_BASE32HEX: self = .bytes(.base32Hex)
    case CSD_FORMAT_BASE64: self = .bytes(.base64)
    case CSD_FORMAT_UTF8: self = .text(.utf8)
    case CSD_FORMAT_UTF16LE: self = .text(.utf16LittleEndian)
    case CSD_FORMAT_UTF16BE: self = .text(.utf16BigEndian)
    case CSD_FORMAT_UTF_ANY: self = .text(nil)
    default: clientBug("\(call) was called with an address that is not a format of data.")
    }
  }
}

/// Data with the same content in another format; NULL if the data is not in the input format, or if
/// there is no conversion from the input format to the output format.
///
/// *Differences*: the function returns NULL for all data that is not in the input format. The
/// toolchain decodes some of it, such as a code without padding, to wrong bytes or to a wrong size,
/// and it does not decode base32hex at all.
@_cdecl("dispatch_data_create_with_transform")
package func dispatchDataCreateWithTransform(
  _ data: Handle?, _ input: UnsafeRawPointer?, _ output: UnsafeRawPointer?
) -> Handle? {
  let call: StaticString = "dispatch_data_create_with_transform"
  let (input, output) = (DataFormat(at: input, call), DataFormat(at: output, call))
  // SAFETY: the caller's reference.
  let object = Handles.data(data, call).takeUnretainedValue()
  return withExtendedLifetime(object) {
    let bytes = UnsafeRawBufferPointer(start: object.contiguousBytes, count: object.data.count)
    switch (input, output) {
    case (.bytes(nil), .bytes(nil)): return Handles.made(object.data)
    case (.bytes(nil), .bytes(let code?)): return made(code.encode(bytes))
    case (.bytes(let code?), .bytes(let other)):
      return code.decode(bytes).map { decoded in
        made(other.map { code in decoded.withUnsafeBytes(code.encode) } ?? decoded)
      }
    case (.text(let code), .text(let other?)):
      return (code ?? UnicodeCode(markedIn: bytes)).decode(bytes).map { made(other.encode($0)) }
    case (.bytes, .text), (.text, .bytes), (.text, .text(nil)): return nil
    }
  }
}

private func made(_ bytes: [UInt8]) -> Handle {
  Handles.made(bytes.withUnsafeBytes { DispatchData(bytes: $0) })
}
