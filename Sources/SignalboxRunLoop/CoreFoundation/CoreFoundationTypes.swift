// CoreFoundationTypes — the C interface's names for Swift's own types.

/// A signed integer: an order, a count or a version.
public typealias CFIndex = Int
/// The bits of an option set.
public typealias CFOptionFlags = UInt
/// The return type of a `hash` callback.
public typealias CFHashCode = UInt
/// The identifier of a Core Foundation type.
public typealias CFTypeID = UInt
/// A length of time in seconds.
public typealias CFTimeInterval = Double
/// Seconds since the first instant of 2001, as the wall clock counts them.
public typealias CFAbsoluteTime = Double
/// A string.
public typealias CFString = String

/// Returns the current wall-clock time, in seconds since the first instant of 2001.
///
/// Source: Apple's documentation of `CFAbsoluteTimeGetCurrent`.
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime {
  CFAbsoluteTime.current
}

/// An allocator for the functions of the C interface. Only the default exists.
///
/// Functions accept the argument for compatibility with Apple's functions; Swift allocates
/// all memory.
public final class CFAllocator: Sendable {
  private init() {}
}

/// The default allocator, which every function uses.
public let kCFAllocatorDefault: CFAllocator? = nil
