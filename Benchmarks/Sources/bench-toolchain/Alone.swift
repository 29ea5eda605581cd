extension Subject {
  /// What only the other side has.
  static let alone: [Subject] = []

  /// Nothing here is only counted.
  static let counted: [Subject] = []
}
