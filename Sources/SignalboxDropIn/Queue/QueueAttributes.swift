// QueueAttributes — how a queue is to be made, as an address for C code.
//
// Each combination has a number, and the address is that of an element in a table which is never
// read (`_dispatch_queue_attr_concurrent`). NULL means a serial queue. The number is built from
// digits of different bases. Its last digit is 0 for a concurrent queue, so the table's address
// itself means a concurrent queue.

import CSignalboxDropIn
import SignalboxDispatch
import SignalboxRuntime

struct QueueAttributes {
  var isConcurrent: Bool
  var isInactive = false
  /// 0 to 2. It has no effect, because Linux has no autorelease pools.
  var autoreleaseFrequency = 0
  /// 0 for unspecified, 1 for yes, 2 for no. It has no effect: every queue grants it.
  var overcommit = 0
  var qos = DispatchQoS.unspecified

  private static let classes: [DispatchQoS.QoSClass] = [
    .unspecified, .background, .utility, .default, .userInitiated, .userInteractive,
  ]

  init(at address: Handle?, _ call: StaticString) {
    guard let address else {
      isConcurrent = false
      return
    }
    var rest = csd_attribute_index(address)
    if rest < 0 {
      clientBug(
        "\(call) was called with an address that is not a queue's attribute. Pass "
          + "DISPATCH_QUEUE_SERIAL, DISPATCH_QUEUE_CONCURRENT or an attribute made from one of them."
      )
    }
    func digit(_ base: Int) -> Int {
      defer { rest /= base }
      return rest % base
    }
    isConcurrent = digit(2) == 0
    isInactive = digit(2) == 1
    autoreleaseFrequency = digit(3)
    overcommit = digit(3)
    let qosClass = QueueAttributes.classes[digit(7)]
    qos = DispatchQoS(qosClass: qosClass, relativePriority: -digit(16))
  }

  var address: Handle {
    var index = -qos.relativePriority
    index = index * 7 + QueueAttributes.classes.firstIndex(of: qos.qosClass)!
    index = index * 3 + overcommit
    index = index * 3 + autoreleaseFrequency
    index = index * 2 + (isInactive ? 1 : 0)
    index = index * 2 + (isConcurrent ? 0 : 1)
    return csd_attribute_address(index)
  }
}

/// The attributes, for a queue that is created inactive.
@_cdecl("dispatch_queue_attr_make_initially_inactive")
package func dispatchAttributesInactive(_ attributes: Handle?) -> Handle {
  var attributes = QueueAttributes(at: attributes, "dispatch_queue_attr_make_initially_inactive")
  attributes.isInactive = true
  return attributes.address
}

/// The attributes with an autorelease frequency, which has no effect; unchanged for an unknown
/// frequency.
@_cdecl("dispatch_queue_attr_make_with_autorelease_frequency")
package func dispatchAttributesAutorelease(_ attributes: Handle?, _ frequency: UInt) -> Handle? {
  let call: StaticString = "dispatch_queue_attr_make_with_autorelease_frequency"
  var changed = QueueAttributes(at: attributes, call)
  guard frequency <= 2 else { return attributes }
  changed.autoreleaseFrequency = Int(frequency)
  return changed.address
}

/// The attributes with a class of service; unchanged for an unknown class or priority.
@_cdecl("dispatch_queue_attr_make_with_qos_class")
package func dispatchAttributesClass(
  _ attributes: Handle?, _ qosClass: UInt32, _ relativePriority: Int32
) -> Handle? {
  var changed = QueueAttributes(at: attributes, "dispatch_queue_attr_make_with_qos_class")
  guard let qos = DispatchQoS(qosClass, relativePriority) else { return attributes }
  changed.qos = qos
  return changed.address
}

/// The attributes with a wish for more threads than processors, which every queue grants.
@_cdecl("dispatch_queue_attr_make_with_overcommit")
package func dispatchAttributesOvercommit(_ attributes: Handle?, _ overcommit: Bool) -> Handle {
  var changed = QueueAttributes(at: attributes, "dispatch_queue_attr_make_with_overcommit")
  changed.overcommit = overcommit ? 1 : 2
  return changed.address
}

// MARK: Classes

extension DispatchQoS.QoSClass {
  /// The class with this number in C. The toolchain's headers have another class below background;
  /// it counts as background.
  init?(number: UInt32) {
    let maintenance: UInt32 = 0x05
    if number == maintenance {
      self = .background
    } else {
      self.init(rawValue: qos_class_t(rawValue: number))
    }
  }
}

extension DispatchQoS {
  /// The quality of service with these numbers in C; nil if there is none.
  init?(_ qosClass: UInt32, _ relativePriority: Int32) {
    guard let known = QoSClass(number: qosClass), (-15...0).contains(relativePriority) else {
      return nil
    }
    self.init(qosClass: known, relativePriority: Int(relativePriority))
  }
}
