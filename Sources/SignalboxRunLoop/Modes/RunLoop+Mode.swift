// RunLoop+Mode — the name of a mode.

extension RunLoop {
  /// The name of a mode: of a set of sources, timers and observers with which a loop runs.
  ///
  /// ```swift
  /// extension RunLoop.Mode { static let download = RunLoop.Mode("download") }
  /// RunLoop.current.run(mode: .download, before: .distantFuture)
  /// ```
  ///
  /// A mode comes into being when something is added to it or a loop runs in it. Its name may
  /// be anything but the empty string, with which no loop runs.
  ///
  /// Source: Apple's documentation of `RunLoop.Mode`.
  public struct Mode: RawRepresentable, Equatable, Hashable, Sendable {
    public let rawValue: String
    /// The mode of that name.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The mode in which a loop runs if it is not told otherwise.
    public static let `default` = Mode("kCFRunLoopDefaultMode")

    /// Not a mode but a set of them. What is added to it is added to every mode of the set,
    /// also to those that join it later. It begins with ``default``, ``eventTracking`` and
    /// ``modalPanel``; see ``CFRunLoopAddCommonMode(_:_:)``.
    public static let common = Mode("kCFRunLoopCommonModes")

    /// The mode of a loop that follows the user's hand: dragging, scrolling.
    public static let eventTracking = Mode("NSEventTrackingRunLoopMode")

    /// The mode of a loop that waits for a modal panel.
    public static let modalPanel = Mode("NSModalPanelRunLoopMode")
  }
}
