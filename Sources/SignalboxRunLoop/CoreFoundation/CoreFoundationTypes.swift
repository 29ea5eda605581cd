// CoreFoundationTypes — the names under which the C interface knows Swift's own types.

/// A signed number: an order, a count, a version.
public typealias CFIndex = Int
/// Bits of an option set.
public typealias CFOptionFlags = UInt
/// What a `hash` call-back returns.
public typealias CFHashCode = UInt
/// The number of a type of Core Foundation's.
public typealias CFTypeID = UInt
/// A length of time in seconds.
public typealias CFTimeInterval = Double
/// Seconds since the first instant of 2001, as the wall clock counts them.
public typealias CFAbsoluteTime = Double
/// A string.
public typealias CFString = String

/// The moment that the wall clock shows now, in seconds since the first instant of 2001.
///
/// Source: Apple's documentation of `CFAbsoluteTimeGetCurrent`.
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime {
  CFAbsoluteTime.current
}

/// What a call of the C interface is to take memory from: nothing but the default.
///
/// The argument is accepted where the C interface has it; memory is Swift's.
public final class CFAllocator: Sendable {
  private init() {}
}

/// The allocator that is used in any case.
public let kCFAllocatorDefault: CFAllocator? = nil
