// Thread+Class — finds a thread's object, and lets a thread sleep.

import CSignalbox
import SignalboxRuntime

extension Thread {
  static var found: Thread {
    if let record = ThreadRecord.ofThisThread, let handle = record.handle {
      // SAFETY: the engine keeps the object of a running thread.
      return Thread.at(UnsafeRawPointer(handle.object.toOpaque())).takeUnretainedValue()
    }
    return adoptThisThread()
  }

  // MARK: Sleep

  static func sleep(until deadline: Deadline) {
    // No thread ever changes this word or wakes a thread that sleeps on it.
    let thread = csb_thread_number()
    let word = UnsafeRawPointer(csb_thread_self()) + MemoryLayout<csb_thread>.offset(of: \.number)!
    while !deadline.hasPassed {
      _ = Parking.wait(
        while: word, is: thread, until: deadline, for: .time, on: .named("time to pass"))
    }
  }

  // MARK: Adoption

  private static func adoptThisThread() -> Thread {
    let record: ThreadRecord
    if csb_thread_is_main() != 0 {
      record = mainRecord()
    } else {
      record = makeAdopted()
    }
    record.enter()
    ThreadRegistry.shared.add(record)
    return object(of: record)
  }

  static func mainRecord() -> ThreadRecord {
    ThreadRegistry.shared.mainRecord(makeAdopted)
  }

  /// A record with an object that it keeps until the thread ends.
  private static func makeAdopted() -> ThreadRecord {
    let record = ThreadRecord(ofRunningThread: ())
    record.handle = Thread(adopting: record).retainedHandle
    return record
  }

  static func object(of record: ThreadRecord) -> Thread {
    guard let handle = record.handle else { internalBug("a thread's record has no object.") }
    // SAFETY: the engine keeps the object of a running thread.
    return Thread.at(UnsafeRawPointer(handle.object.toOpaque())).takeUnretainedValue()
  }
}
