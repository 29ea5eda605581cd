/// What a reading of ours has to reach.
public enum Goal: Equatable, Sendable {
  /// Ours divided by the toolchain's, at most. A `required` one must be met.
  case ratio(Double, required: Bool)
  /// Ours in the reading's own unit, at most, whatever the toolchain's is.
  case value(Double)
  /// The same of what the toolchain has not got, so that there is nothing to measure beside it.
  /// A `required` one must be met.
  case alone(Double, required: Bool)
  /// Shown for information.
  case none
}

extension Goal {
  public var isRequired: Bool {
    switch self {
    case .ratio(_, let required), .alone(_, let required): required
    case .value, .none: false
    }
  }

  public var isAlone: Bool {
    if case .alone = self { true } else { false }
  }
}

extension Goal: LosslessStringConvertible {
  /// `ratio 0.4 required`, `ratio 1.0`, `value 100.0`, `alone 40.0`, with `required` too, or `none`.
  public var description: String {
    switch self {
    case .ratio(let limit, let required): "ratio \(limit)\(required ? " required" : "")"
    case .value(let limit): "value \(limit)"
    case .alone(let limit, let required): "alone \(limit)\(required ? " required" : "")"
    case .none: "none"
    }
  }

  public init?(_ description: String) {
    let words = description.split(separator: " ")
    let limit = words.count > 1 ? Double(words[1]) : nil
    switch (words.first, limit, words.count) {
    case ("none", nil, 1): self = .none
    case ("ratio", let limit?, 2): self = .ratio(limit, required: false)
    case ("ratio", let limit?, 3) where words[2] == "required":
      self = .ratio(limit, required: true)
    case ("value", let limit?, 2): self = .value(limit)
    case ("alone", let limit?, 2): self = .alone(limit, required: false)
    case ("alone", let limit?, 3) where words[2] == "required":
      self = .alone(limit, required: true)
    default: return nil
    }
  }
}
