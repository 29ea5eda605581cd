// CoreFoundationType — the type identifiers that the C interface returns.

enum CoreFoundationType {
  static let loop: CFTypeID = 1
  static let source: CFTypeID = 2
  static let observer: CFTypeID = 3
  static let timer: CFTypeID = 4
}
