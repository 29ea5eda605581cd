// SourceCreation — dispatch_source_create, for every type of source.

import CSignalboxDropIn
import SignalboxDispatch
import SignalboxRuntime

/// A new source, which is inactive; NULL if the handle or the mask means nothing for the type.
/// Its handlers run on the queue, or on the default global queue for NULL.
///
/// *Differences*: the types for processes, files and memory pressure exist, with the handles and
/// masks that Apple's library takes. If a descriptor cannot be watched, activating the source
/// prints a warning on standard error and cancels the source.
@_cdecl("dispatch_source_create")
package func dispatchSourceCreate(
  _ type: UnsafeRawPointer?, _ handle: UInt, _ mask: UInt, _ queue: Handle?
) -> Handle? {
  let call: StaticString = "dispatch_source_create"
  guard let type else { clientBug("\(call) was called with NULL where a source's type belongs.") }
  let kind = csd_source_kind_at(type)
  if kind == CSD_SOURCE_NONE {
    clientBug("\(call) was called with an address that is no source's type.")
  }
  // SAFETY: the caller's reference.
  let queue = Handles.optionalQueue(queue, call)?.takeUnretainedValue()
  guard let made = DispatchSource.Kind(kind, handle, mask) else { return nil }
  return Handles.made(DispatchSource.make(made, queue: queue))
}

extension DispatchSource.Kind {
  /// What a source of this type watches; nil if the handle or the mask means nothing for it.
  fileprivate init?(_ kind: csd_source_kind, _ handle: UInt, _ mask: UInt) {
    switch kind {
    case CSD_SOURCE_DATA_ADD, CSD_SOURCE_DATA_OR, CSD_SOURCE_DATA_REPLACE:
      guard handle == 0, mask == 0 else { return nil }
      self =
        kind == CSD_SOURCE_DATA_ADD
        ? .adding : kind == CSD_SOURCE_DATA_OR ? .combining : .replacing
    case CSD_SOURCE_READ, CSD_SOURCE_WRITE:
      guard let descriptor = Self.descriptor(handle), mask == 0 else { return nil }
      self = kind == CSD_SOURCE_READ ? .reading(descriptor) : .writing(descriptor)
    case CSD_SOURCE_SIGNAL:
      guard handle >= 1, handle <= UInt(SignalTable.lastSignal), mask == 0 else { return nil }
      self = .signal(Int32(handle))
    case CSD_SOURCE_TIMER:
      guard handle == 0, mask & ~timerFlags == 0 else { return nil }
      self = .timer(flags: mask)
    case CSD_SOURCE_INTERVAL:
      guard handle > 0, mask & ~timerFlags == 0 else { return nil }
      self = .interval(period: Self.period(handle, mask), handle: handle, flags: mask)
    default: self.init(beyondToolchain: kind, handle, mask)
    }
  }

  private init?(beyondToolchain kind: csd_source_kind, _ handle: UInt, _ mask: UInt) {
    switch kind {
    case CSD_SOURCE_PROC:
      let events = DispatchSource.ProcessEvent(rawValue: mask)
      guard let process = Int32(exactly: handle), process > 0, events.isSubset(of: .all) else {
        return nil
      }
      self = .process(process, events)
    case CSD_SOURCE_VNODE:
      let events = DispatchSource.FileSystemEvent(rawValue: mask)
      let known = DispatchSource.FileSystemEvent.all.union(.funlock)
      guard let descriptor = Self.descriptor(handle), events.isSubset(of: known) else {
        return nil
      }
      self = .file(descriptor, events)
    case CSD_SOURCE_MEMORYPRESSURE:
      let events = DispatchSource.MemoryPressureEvent(rawValue: mask)
      guard handle == 0, !events.isEmpty, events.isSubset(of: .all) else { return nil }
      self = .memoryPressure(events)
    default: return nil
    }
  }

  private static func descriptor(_ handle: UInt) -> Int32? { Int32(exactly: handle) }

  /// The period of an interval in nanoseconds: a number of milliseconds, or of frames of a
  /// display.
  private static func period(_ handle: UInt, _ mask: UInt) -> UInt64 {
    let unit: UInt64 = mask & framesFlag != 0 ? 1_000_000_000 / 60 : 1_000_000
    let (product, overflow) = UInt64(handle).multipliedReportingOverflow(by: unit)
    return overflow ? .max : product
  }
}

/// DISPATCH_INTERVAL_UI_ANIMATION, of a header that is not installed: the period is in frames of
/// a display.
private let framesFlag: UInt = 1

/// DISPATCH_TIMER_STRICT, and DISPATCH_TIMER_BACKGROUND of a header that is not installed. Neither
/// has an effect.
private let timerFlags: UInt = 3
