// RunLoopModes — modes as values: made, compared, hashed, extended.

import Foundation

extension RunLoop.Mode {
  static let tracking = RunLoop.Mode("corpus.tracking")
  static let modal = Self(rawValue: "corpus.modal")
}

enum RunLoopModes {
  static func run() {
    print(RunLoop.Mode.default.rawValue, RunLoop.Mode.common.rawValue)
    print(RunLoop.Mode("a") == RunLoop.Mode(rawValue: "a"), RunLoop.Mode("a") != .default)
    let modes: Set<RunLoop.Mode> = [.default, .common, .tracking, .modal, .default]
    print(modes.map(\.rawValue).sorted())
    let names: [RunLoop.Mode: String] = [.default: "default", .tracking: "tracking"]
    print(names[.tracking] ?? "nothing", names[.modal] ?? "nothing")
    for mode in [RunLoop.Mode.default, .tracking] {
      switch mode {
      case .default: print("the default mode")
      case .tracking: print("the tracking mode")
      default: print("another")
      }
    }
    var hasher = Hasher()
    RunLoop.Mode.modal.hash(into: &hasher)
    print(RunLoop.Mode.modal.hashValue == RunLoop.Mode("corpus.modal").hashValue)
    let raw: any RawRepresentable<String> = RunLoop.Mode.modal
    print(raw.rawValue)
  }
}
