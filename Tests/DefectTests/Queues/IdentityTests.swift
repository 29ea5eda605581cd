// IdentityTests — D15: a queue is one object.

import SignalboxDispatch
import Testing

@Suite
struct IdentityTests {
  @Test func mainQueueIsOneObject() {
    #expect(DispatchQueue.main === DispatchQueue.main)
  }

  @Test func eachGlobalQueueIsOneObject() {
    let classes: [DispatchQoS.QoSClass] = [
      .background, .utility, .default, .userInitiated, .userInteractive, .unspecified,
    ]
    for qos in classes {
      #expect(DispatchQueue.global(qos: qos) === DispatchQueue.global(qos: qos))
    }
    #expect(DispatchQueue.global() === DispatchQueue.global(qos: .default))
    #expect(DispatchQueue.global() !== DispatchQueue.main)
    #expect(DispatchQueue.global(qos: .utility) !== DispatchQueue.global(qos: .background))
    #expect(DispatchQueue.global(priority: .high) === DispatchQueue.global(qos: .userInitiated))
    #expect(DispatchQueue.global(priority: .default) === DispatchQueue.global())
    #expect(DispatchQueue.global(priority: .low) === DispatchQueue.global(qos: .utility))
    #expect(
      DispatchQueue.global(priority: .background) === DispatchQueue.global(qos: .background))
  }

  @Test func queuesOfOneLabelAreDifferentObjects() {
    let queue = DispatchQueue(label: "test.same")
    #expect(queue !== DispatchQueue(label: "test.same"))
    #expect(queue === queue)
  }
}
