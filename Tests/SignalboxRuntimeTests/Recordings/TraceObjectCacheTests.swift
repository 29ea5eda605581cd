// TraceObjectCacheTests — a thread's cached object numbers are valid until any address loses its
// number.

import CSignalbox
import Testing

@testable import SignalboxDiagnostics
@testable import SignalboxRuntime

@Suite struct TraceObjectCacheTests {
  @Test func aNumberIsKnownUntilAnAddressLosesItsNumber() {
    let cache = TraceObjectCache()
    #expect(cache.id(of: 0x1000, .group, in: 1) == nil)
    var changes: UInt64
    var found: UInt64?
    repeat {
      // Other tests have recordings of their own, in which an address may lose its number too.
      changes = csb_trace_object_changes_load()
      cache.keep(7, of: 0x1000, .group, in: 1, changes)
      found = cache.id(of: 0x1000, .group, in: 1)
    } while changes != csb_trace_object_changes_load()
    #expect(found == 7)
    csb_trace_object_changes_add()
    #expect(cache.id(of: 0x1000, .group, in: 1) == nil)
  }

  @Test func anotherKindOfObjectAtTheAddressIsAnother() {
    let cache = TraceObjectCache()
    cache.keep(7, of: 0x1000, .group, in: 1, csb_trace_object_changes_load())
    #expect(cache.id(of: 0x1000, .semaphore, in: 1) == nil)
  }

  @Test func inAnotherRecordingItHasAnotherNumber() {
    let cache = TraceObjectCache()
    cache.keep(7, of: 0x1000, .group, in: 1, csb_trace_object_changes_load())
    #expect(cache.id(of: 0x1000, .group, in: 2) == nil)
  }

  @Test func everyAddressHasAPlace() {
    let cache = TraceObjectCache()
    for address in stride(from: UInt(0), to: 0x100_0000, by: 4_112) + [UInt.max, UInt.max / 2] {
      var changes: UInt64
      var found: UInt64?
      repeat {
        changes = csb_trace_object_changes_load()
        cache.keep(UInt64(address), of: address, .other, in: 1, changes)
        found = cache.id(of: address, .other, in: 1)
      } while changes != csb_trace_object_changes_load()
      #expect(found == UInt64(address))
    }
  }
}
