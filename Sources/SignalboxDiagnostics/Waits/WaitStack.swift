// WaitStack — the functions on the stack of a thread that waits.
//
// A wait record holds the registers of the function that sleeps. Each function's frame contains
// the address of its caller's frame, and the return address into the caller. Swift functions have
// such frames, and so do C functions that the package manager builds. Functions of the C library
// have none: the walk misses them, or ends at one that uses the frame register for something else.
//
// Touching    the stack of the waiting thread, while its record is locked and it waits (`WaitRecord`, I2). The kernel
//             reads it, so a frame register that is no address ends the walk, and not the process.
// Rejected    the unwinder, which can only begin at the calling thread; and reading the tables of
//             all files, as `signalbox report` does: it takes much more code, for functions that
//             are not the program's.

package import CSignalbox
package import SignalboxRuntime

package enum WaitStack {
  private static let most = 64
  /// The maximum size of a frame, in bytes: no function needs more for its variables.
  private static let mostInFrame: UInt = 1 << 20

  private struct Frame {
    var caller: UInt = 0
    var returnAddress: UInt = 0
  }

  /// The return addresses, the innermost first. Takes a system call for each. Under the lock of the thread's record.
  package static func functions(from place: csb_place) -> Backtrace {
    guard let instruction = place.instruction else { return Backtrace(addresses: []) }
    var addresses = [UInt(bitPattern: instruction)]
    var lowest = UInt(bitPattern: place.stack)
    var frame = UInt(bitPattern: place.frame)
    while addresses.count < most, frame >= lowest, frame - lowest < mostInFrame,
      let found = read(at: frame), found.returnAddress != 0
    {
      addresses.append(found.returnAddress)
      lowest = frame + UInt(MemoryLayout<Frame>.size)
      frame = found.caller
    }
    return Backtrace(addresses: addresses)
  }

  /// The functions on the calling thread's stack, found in the same way: the unwinder would load a
  /// library when it is first used.
  @inline(never)
  package static func ofThisThread() -> Backtrace {
    var place = csb_place()
    csb_place_here(&place)
    return functions(from: place)
  }

  private static func read(at address: UInt) -> Frame? {
    guard address % UInt(MemoryLayout<UInt>.alignment) == 0,
      let pointer = UnsafeRawPointer(bitPattern: address)
    else { return nil }
    var frame = Frame()
    return csb_look_at_memory(pointer, &frame, MemoryLayout<Frame>.size) == 0 ? frame : nil
  }
}
