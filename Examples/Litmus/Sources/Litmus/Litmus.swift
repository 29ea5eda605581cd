// Litmus — prints what two threads can read of each other, without and with a barrier.
//
//     Litmus [ROUNDS]      status 1 if a barrier or an atomic did not do what it is for

import Glibc

@main struct Litmus {
  static func main() {
    let rounds = CommandLine.arguments.dropFirst().first.map { Int($0) ?? 0 } ?? 300_000
    guard rounds > 0 else {
      print("usage: Litmus [ROUNDS]")
      exit(2)
    }
    if sysconf(Int32(_SC_NPROCESSORS_ONLN)) < 2 {
      print("One processor runs one thread after the other: nothing strange will be seen.\n")
    }
    var isKept = true
    for test in [LitmusTest.storeBuffering, .messagePassing] {
      let without = Experiment(test: test, rounds: rounds, hasBarrier: false).run()
      let with = Experiment(test: test, rounds: rounds, hasBarrier: true).run()
      for line in Table(test: test, without: without, with: with).lines { print(line) }
      print()
      if with[test.forbidden] != nil { isKept = false }
    }
    let plain = LostUpdate(rounds: rounds, isAtomic: false).run()
    let atomic = LostUpdate(rounds: rounds, isAtomic: true).run()
    for line in LostUpdate.lines(plain: plain, atomic: atomic) { print(line) }
    print()
    if atomic[1] != nil { isKept = false }
    print("\(rounds) rounds each. Not seen does not mean impossible: see Tests/ModelTests.")
    exit(isKept ? 0 : 1)
  }
}
