// CFRunLoopMode — the name of a mode in the C interface.

/// The name of a mode in the C interface.
///
/// It converts to and from ``RunLoop/Mode``, which has the same name.
///
/// Source: Apple's documentation of `CFRunLoopMode`.
public struct CFRunLoopMode: RawRepresentable, Equatable, Hashable, Sendable {
  public let rawValue: CFString
  /// Creates the mode of this name.
  public init(_ rawValue: CFString) { self.rawValue = rawValue }
  public init(rawValue: CFString) { self.rawValue = rawValue }
  /// Creates a mode with the same name.
  public init(_ mode: RunLoop.Mode) { rawValue = mode.rawValue }

  /// ``RunLoop/Mode/default``.
  public static var defaultMode: CFRunLoopMode { Self(RunLoop.Mode.default) }
  /// ``RunLoop/Mode/common``.
  public static var commonModes: CFRunLoopMode { Self(RunLoop.Mode.common) }
}

extension RunLoop.Mode {
  /// Creates a mode with the same name.
  public init(_ mode: CFRunLoopMode) { self.init(mode.rawValue) }
}

/// ``RunLoop/Mode/default``.
public var kCFRunLoopDefaultMode: CFRunLoopMode { .defaultMode }
/// ``RunLoop/Mode/common``.
public var kCFRunLoopCommonModes: CFRunLoopMode { .commonModes }
