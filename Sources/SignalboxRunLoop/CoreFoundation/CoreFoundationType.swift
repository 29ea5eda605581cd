// CoreFoundationType — the numbers of the types that the C interface tells apart.

enum CoreFoundationType {
  static let loop: CFTypeID = 1
  static let source: CFTypeID = 2
  static let observer: CFTypeID = 3
  static let timer: CFTypeID = 4
}
