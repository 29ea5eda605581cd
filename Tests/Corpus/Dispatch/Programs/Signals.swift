// Signals — a signal that the process ignores and a source reports.

import Dispatch
import Glibc

enum Signals {
  static func run() {
    signal(SIGUSR1, SIG_IGN)
    let queue = DispatchQueue(label: "corpus.signals")
    let told = DispatchSemaphore(value: 0)
    let source: DispatchSourceSignal = DispatchSource.makeSignalSource(
      signal: SIGUSR1, queue: queue)
    print(source.handle == UInt(SIGUSR1), source.mask)
    let registered = DispatchSemaphore(value: 0)
    source.setRegistrationHandler { registered.signal() }
    source.setEventHandler {
      print("raised", source.data > 0)
      told.signal()
    }
    source.activate()
    registered.wait()
    for _ in 0..<2 {
      kill(getpid(), SIGUSR1)
      told.wait()
    }
    source.cancel()
    print(source.isCancelled)
  }
}
