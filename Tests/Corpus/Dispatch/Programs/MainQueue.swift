// MainQueue — the main queue, served by dispatchMain, until an item ends the process.

import Dispatch
import Glibc

enum MainQueue {
  static func run() {
    let main = DispatchQueue.main
    dispatchPrecondition(condition: .onQueue(main))
    print(main.label, main.qos.qosClass == DispatchQueue.main.qos.qosClass)
    main.async { print("first") }
    DispatchQueue.global().async {
      main.async { print("second, from another thread") }
      main.sync { print("third, waited for") }
      main.asyncAfter(deadline: .now() + .milliseconds(1)) {
        dispatchPrecondition(condition: .onQueue(.main))
        print("last")
        exit(0)
      }
    }
    dispatchMain()
  }
}
