// ClassReadsBackTests — D27: a quality of service reads back as requested, including the highest
// class.

import SignalboxDispatch
import Testing

@Suite
struct ClassReadsBackTests {
  private static let classes: [DispatchQoS.QoSClass] = [
    .background, .utility, .default, .userInitiated, .userInteractive, .unspecified,
  ]

  /// The toolchain returns user-initiated for user-interactive.
  @Test(arguments: classes)
  func queueHasTheClassItWasCreatedWith(_ qos: DispatchQoS.QoSClass) {
    let asked = DispatchQoS(qosClass: qos, relativePriority: 0)
    #expect(DispatchQueue(label: "test.class", qos: asked).qos == asked)
    #expect(
      DispatchQueue(label: "test.class", qos: asked, attributes: .concurrent).qos.qosClass == qos)
  }

  @Test(arguments: classes.dropLast())
  func globalQueueHasTheRequestedClass(_ qos: DispatchQoS.QoSClass) {
    #expect(DispatchQueue.global(qos: qos).qos.qosClass == qos)
  }

  /// Apple's raw values order the classes, and programs store them.
  @Test func rawValuesAreApples() {
    let values: [(DispatchQoS.QoSClass, Int)] = [
      (.background, 0x09), (.utility, 0x11), (.default, 0x15), (.userInitiated, 0x19),
      (.userInteractive, 0x21), (.unspecified, 0x00),
    ]
    for (qos, value) in values {
      #expect(Int(qos.rawValue.rawValue) == value, "\(qos)")
      #expect(DispatchQoS.QoSClass(rawValue: qos.rawValue) == qos)
    }
  }
}
