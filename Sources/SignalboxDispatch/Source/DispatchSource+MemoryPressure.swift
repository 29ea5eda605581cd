// DispatchSource+MemoryPressure — sources for memory pressure.
//
// *Beyond the toolchain's API*: Apple has these sources; the toolchain on Linux does not.

/// A source that reports when memory becomes short, and when it no longer is.
///
/// ```swift
/// let source = DispatchSource.makeMemoryPressureSource(
///   eventMask: [.warning, .critical], queue: queue)
/// source.setEventHandler {
///   cache.removeLeastUsed(half: !source.data.contains(.critical))
/// }
/// source.activate()
/// ```
///
/// Source: Apple's documentation of `DispatchSourceMemoryPressure`.
public protocol DispatchSourceMemoryPressure: DispatchSourceProtocol {
  /// The levels that were reached since the last call of the handler.
  var data: DispatchSource.MemoryPressureEvent { get }

  /// The requested levels.
  var mask: DispatchSource.MemoryPressureEvent { get }
}

extension DispatchSourceMemoryPressure {
  /// The levels that were reached since the last call of the handler. Usually there is one;
  /// there are several if the level changed while the source was suspended or its queue busy.
  public var data: DispatchSource.MemoryPressureEvent {
    DispatchSource.MemoryPressureEvent(rawValue: source.core.data)
  }

  /// The requested levels.
  public var mask: DispatchSource.MemoryPressureEvent {
    DispatchSource.MemoryPressureEvent(rawValue: source.core.mask)
  }
}

extension DispatchSource: DispatchSourceMemoryPressure {}

extension DispatchSource {
  /// Levels of memory pressure.
  ///
  /// Source: Apple's documentation of `DispatchSource.MemoryPressureEvent`.
  public struct MemoryPressureEvent: OptionSet, RawRepresentable, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Memory is no longer short.
    public static var normal: MemoryPressureEvent { Self(rawValue: 0x1) }
    /// Memory is becoming short: free what you can easily get again.
    public static var warning: MemoryPressureEvent { Self(rawValue: 0x2) }
    /// Memory is so short that little work gets done, and the kernel may soon kill processes.
    public static var critical: MemoryPressureEvent { Self(rawValue: 0x4) }
    /// All levels.
    public static var all: MemoryPressureEvent { [.normal, .warning, .critical] }
  }

  /// Creates a source that reports when memory becomes short. It is inactive; see
  /// ``DispatchSourceMemoryPressure`` for an example.
  ///
  /// The source reports the level when it changes, and at the activation if there is pressure
  /// then. The kernel measures how much of the time tasks stall for lack of memory (pressure stall
  /// information), in the process's own control group, such as a container, and in the whole
  /// system. The worse of the two applies.
  ///
  /// | level | within two seconds |
  /// | --- | --- |
  /// | ``MemoryPressureEvent/warning`` | some task stalled for 200 milliseconds |
  /// | ``MemoryPressureEvent/critical`` | all tasks stalled for 400 milliseconds |
  /// | ``MemoryPressureEvent/normal`` | neither, for six seconds |
  ///
  /// If the kernel does not accept such triggers (before Linux 6.5, it accepts them only from
  /// privileged processes), the source uses the counters of the control group (`memory.events`,
  /// version 2). ``MemoryPressureEvent/warning`` then means that the group reached its limit, and
  /// ``MemoryPressureEvent/critical`` that the limit could not be held. If neither triggers nor
  /// counters are available, the activation prints the reason with the names of the files, and
  /// cancels the source.
  ///
  /// Without pressure, a source costs nothing, because nothing polls. All sources share at most
  /// four descriptors, which are open while such a source exists. The control group is the one that
  /// the process is in when the first of them is activated. Any thread may call it.
  ///
  /// *Differences*: Apple's levels are the system's own; their meaning in numbers is not
  /// documented.
  ///
  /// Source: Apple's documentation of `makeMemoryPressureSource(eventMask:queue:)`.
  ///
  /// - Parameters:
  ///   - eventMask: the levels to report.
  ///   - queue: where the handlers run; by default a global queue.
  public class func makeMemoryPressureSource(
    eventMask: MemoryPressureEvent, queue: DispatchQueue? = nil
  ) -> any DispatchSourceMemoryPressure {
    DispatchSource(MemoryPressureSource(eventMask, queue: queue))
  }
}
