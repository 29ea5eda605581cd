// ObjectHandleTests — what the C interface reads at an object's address.

import SignalboxDispatch
import Testing

@Suite struct ObjectHandleTests {
  @Test func aHandleIsAtTheSameDistanceInEachObject() {
    let objects: [(DispatchObject, ObjectHandle.Kind)] = [
      (DispatchQueue(label: "org.example.queue"), .queue), (DispatchQueue.main, .queue),
      (DispatchQueue.global(), .queue), (DispatchWorkloop(label: "org.example.loop"), .queue),
      (DispatchGroup(), .group), (DispatchSemaphore(value: 0), .semaphore),
    ]
    for (object, kind) in objects {
      // SAFETY: the array keeps the object.
      #expect(
        ObjectHandle.kind(at: UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())) == kind
      )
    }
    let source = DispatchSource.makeUserDataAddSource()
    source.activate()
    source.cancel()
    let address = Unmanaged.passUnretained(source as AnyObject).toOpaque()  // SAFETY: kept above.
    #expect(ObjectHandle.kind(at: address) == .source)
  }

  @Test func referencesOfCAreCountedByThemselves() {
    let group = DispatchGroup()
    let retain = { group.handleForC.retain() }
    let release = { group.handleForC.release() }
    #expect(release() == .none)
    #expect(retain())
    #expect(!retain())
    #expect(release() == .kept)
    #expect(release() == .last)
    #expect(release() == .none)
  }
}
