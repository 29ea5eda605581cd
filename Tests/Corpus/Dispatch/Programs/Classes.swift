// Classes — qualities of service, compared.

import Dispatch

enum Classes {
  static func run() {
    let all: [DispatchQoS] = [
      .background, .utility, .default, .userInitiated, .userInteractive, .unspecified,
    ]
    for qos in all {
      print(qos.qosClass, qos.relativePriority, qos == .utility, qos != .utility)
    }
    let lower = DispatchQoS(qosClass: .utility, relativePriority: -5)
    print(lower.qosClass == DispatchQoS.QoSClass.utility, lower.relativePriority, lower == .utility)
    print(lower.qosClass != .background, Set([lower.qosClass, .utility]).count)
    let classes: [DispatchQoS.QoSClass] = [
      .background, .utility, .default, .userInitiated, .userInteractive, .unspecified,
    ]
    print(all.map(\.qosClass) == classes)
  }
}
