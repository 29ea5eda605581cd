// RunLoop+Mode — the name of a mode.

extension RunLoop {
  /// The name of a mode, which is a set of sources, timers and observers that fire together.
  ///
  /// ```swift
  /// extension RunLoop.Mode { static let download = RunLoop.Mode("download") }
  /// RunLoop.current.run(mode: .download, before: .distantFuture)
  /// ```
  ///
  /// A mode exists once something is added to it or a loop runs in it. Its name may be any
  /// string except the empty one: no loop can run in a mode without a name.
  ///
  /// Source: Apple's documentation of `RunLoop.Mode`.
  public struct Mode: RawRepresentable, Equatable, Hashable, Sendable {
    public let rawValue: String
    /// Creates the mode of this name.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The mode in which a loop runs unless you choose another.
    public static var `default`: Mode { Self("kCFRunLoopDefaultMode") }

    /// The set of common modes, which is not a mode itself. What you add to it is added to
    /// every mode of the set, including those that join it later. The set starts with
    /// ``default``, ``eventTracking`` and ``modalPanel``; see ``CFRunLoopAddCommonMode(_:_:)``.
    public static var common: Mode { Self("kCFRunLoopCommonModes") }

    /// The mode of a loop that tracks the user's input, such as dragging or scrolling.
    public static var eventTracking: Mode { Self("NSEventTrackingRunLoopMode") }

    /// The mode of a loop that waits for a modal panel.
    public static var modalPanel: Mode { Self("NSModalPanelRunLoopMode") }
  }
}
