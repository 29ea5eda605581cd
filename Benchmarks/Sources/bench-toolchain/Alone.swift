extension Subject {
  /// What only the other side has.
  static let alone: [Subject] = []
}
