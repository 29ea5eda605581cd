// DispatchSource+Process — the face of sources for processes, which Linux has lacked.

public import CSignalbox

/// A source that tells what becomes of another process.
///
/// Source: Apple's documentation of `DispatchSourceProcess`.
public protocol DispatchSourceProcess: _DispatchSourceOfNumber {
  /// What has happened since the event handler was last called. For the handler.
  var data: DispatchSource.ProcessEvent { get }

  /// The events that the source was made for.
  var mask: DispatchSource.ProcessEvent { get }
}

extension DispatchSourceProcess {
  /// What has happened since the event handler was last called. For the handler.
  public var data: DispatchSource.ProcessEvent {
    DispatchSource.ProcessEvent(rawValue: source.core.data)
  }

  /// The events that the source was made for.
  public var mask: DispatchSource.ProcessEvent {
    DispatchSource.ProcessEvent(rawValue: source.core.mask)
  }
}

extension DispatchSource: DispatchSourceProcess {}

extension DispatchSource {
  /// What can become of a process.
  ///
  /// Source: Apple's documentation of `DispatchSource.ProcessEvent`.
  public struct ProcessEvent: OptionSet, RawRepresentable, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The process has ended.
    public static let exit = ProcessEvent(rawValue: 0x8000_0000)
    /// The process has made a child.
    public static let fork = ProcessEvent(rawValue: 0x4000_0000)
    /// The process has become another program.
    public static let exec = ProcessEvent(rawValue: 0x2000_0000)
    /// The process was sent a signal. Linux tells of none: see
    /// ``DispatchSource/makeProcessSource(identifier:eventMask:queue:)``.
    public static let signal = ProcessEvent(rawValue: 0x0800_0000)
    /// All that the kernel tells of here: the end of the process, and its forks and execs where
    /// this process may listen to them.
    public static let all: ProcessEvent = [.exit, .fork, .exec, .signal]
  }

  /// Makes a source whose event handler is called when something becomes of a process.
  ///
  /// ```swift
  /// let ended = DispatchSource.makeProcessSource(identifier: child, eventMask: .exit)
  /// ended.setEventHandler {
  ///   var status: Int32 = 0
  ///   waitpid(child, &status, 0)
  ///   ended.cancel()
  /// }
  /// ended.activate()
  /// ```
  ///
  /// The end of a process is told once, without polling, and as soon as all of its threads
  /// have ended. Nobody has waited for it then: a child remains a zombie, whose status
  /// the handler gets by `waitpid`. Any process will do, not only a child. One that has
  /// ended before the source is activated is told at once; so is one that does not
  /// exist, because it may have ended and been waited for. For the same reason make the
  /// source before anybody can wait for the process: an id that is free again may be
  /// given to another one.
  ///
  /// Forks and execs are told by the kernel's process connector, which a program may
  /// listen to outside of containers, with `CAP_NET_ADMIN` or as an ordinary user from
  /// Linux 6.6 on. Several that happen before the handler is called are told together. If
  /// there were so many that the kernel dropped some, both are told. Other processes'
  /// forks wake nobody.
  ///
  /// Any thread may call this. An active source has one descriptor until the process
  /// has ended, and one more for forks and execs.
  ///
  /// A source for what the kernel cannot tell here is refused when it is activated: that
  /// is said on standard error with the reason, and the source is cancelled. So it goes
  /// with a mask that names ``ProcessEvent/signal``; with ``ProcessEvent/fork`` and
  /// ``ProcessEvent/exec`` where the process may not listen; with an empty mask; with the
  /// id of a thread; and where the process is out of descriptors. An id below 1, and a
  /// mask with other bits, trap.
  ///
  /// A source for ``ProcessEvent/all`` tells of what the kernel tells here. It is not refused
  /// for signals, of which Linux never tells, nor for forks and execs; where it cannot tell of
  /// those, that is said on standard error.
  ///
  /// *Differences*: Apple's tells of signals too.
  ///
  /// Source: Apple's documentation of
  /// `DispatchSource.makeProcessSource(identifier:eventMask:queue:)`; pidfd_open(2).
  ///
  /// - Parameters:
  ///   - identifier: the id of the process.
  ///   - eventMask: what to tell of.
  ///   - queue: where the handlers run; by default a global queue.
  /// - Returns: the source, inactive: call `activate()` or `resume()`.
  public class func makeProcessSource(
    identifier: pid_t, eventMask: DispatchSource.ProcessEvent, queue: DispatchQueue? = nil
  ) -> any DispatchSourceProcess {
    DispatchSource(ProcessSource(process: identifier, events: eventMask, queue: queue))
  }
}
