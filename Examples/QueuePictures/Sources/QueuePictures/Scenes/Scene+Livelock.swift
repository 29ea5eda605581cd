// Scene+Livelock — two threads that make way for each other forever, and the same two with the
// locks taken in one order.

import SignalboxDispatch
import SignalboxLocks
import SignalboxTrace

extension Scene {
  private static let rounds = 1...4
  private static let diners = [("Ada", "knife"), ("Grace", "fork")]

  // MARK: Polite

  static let livelock = Scene(
    name: "livelock", title: "A livelock: two threads run, and get nowhere",
    source: "The article “Livelocks”.",
    steps: rounds.flatMap { round in
      [
        Step(
          round == rounds.lowerBound
            ? "Each thread takes the lock that is next to it." : "Each takes its lock again.",
          diners.map { .marks("\($0.0) has the \($0.1), \(round)", on: .worker) },
          isOrdered: false),
        Step(
          round == rounds.lowerBound
            ? "Each finds the other lock taken, and gives its own one back."
            : "Each finds the other lock taken once more, and makes way.",
          diners.map { .marks("\($0.0) makes way, \(round)", on: .worker) }, isOrdered: false,
          facts: round == rounds.upperBound ? [neitherWaits, nobodyEats] : []),
      ]
    },
    pieces: rounds.flatMap { round in
      diners.map { ("\($0.0) has the \($0.1), \(round)", "\($0.0) makes way, \(round)") }
    },
    tellsSwitches: false,
    perform: { end in
      // code: livelock
      let (locks, keepsStep) = (diners.map { _ in NSLock() }, KeepsStep())
      atTable { me, name in
        for round in rounds {
          let meeting = 3 * (round - rounds.lowerBound)
          locks[me].lock()
          TraceRecorder.mark("\(name) has the \(diners[me].1), \(round)")
          Work.compute(microseconds: 300)
          keepsStep.meet(meeting, me)
          let hasBoth = locks[1 - me].try()
          if hasBoth { TraceRecorder.mark("\(name) eats") }
          keepsStep.meet(meeting + 1, me)
          TraceRecorder.mark("\(name) makes way, \(round)")
          if hasBoth { locks[1 - me].unlock() }
          locks[me].unlock()
          Work.compute(microseconds: 200)
          keepsStep.meet(meeting + 2, me)
        }
      } end: {
        end()
      }
      // end
    })

  private static let neitherWaits = Fact("neither thread waits for anything") { run in
    diners.allSatisfy { name, lock in
      guard let item = run.item(name), let begin = run.mark("\(name) has the \(lock), 1") else {
        return false
      }
      return !run.waits.contains {
        $0.thread == item.runner && begin <= $0.began && $0.began < item.finished
      }
    }
  }

  private static let nobodyEats = Fact("neither ever has both locks") { run in
    !run.events.contains { $0.subject.hasSuffix("eats") }
  }

  // MARK: In one order

  static let livelockMended = Scene(
    name: "livelock-mended",
    title: "The repair: both threads take the locks in one order, and wait",
    source: "The article “Livelocks”.",
    steps: [
      Step(
        "Ada takes the knife, which is the first lock for both.",
        [.marks("Ada has the knife", on: .worker)]),
      Step(
        "Grace wants it too, and waits.", [.waits("for the NSLock \"knife\"", on: .worker)]),
      Step(
        "Ada takes the fork, eats, and gives both back.",
        [.marks("Ada eats", on: .worker), .marks("Ada has eaten", on: .worker)]),
      Step(
        "Grace goes on, and eats.",
        [
          .goesOn("for the NSLock \"knife\"", on: .worker), .marks("Grace eats", on: .worker),
          .marks("Grace has eaten", on: .worker),
        ]),
    ],
    perform: { end in
      // code: livelock-mended
      let (knife, fork) = (NSLock(), NSLock())
      knife.name = "knife"
      fork.name = "fork"
      let isTaken = Flag()
      atTable { me, name in
        if me == 1 { Work.compute { isTaken.isSet } }
        knife.lock()
        if me == 0 {
          TraceRecorder.mark("Ada has the knife")
          isTaken.set()
          Work.compute { Waiting.somebodySleeps(for: "knife") }
        }
        fork.lock()
        TraceRecorder.mark("\(name) eats")
        Work.compute(microseconds: 600)
        TraceRecorder.mark("\(name) has eaten")
        fork.unlock()
        knife.unlock()
        Work.compute(microseconds: 200)
      } end: {
        end()
      }
      // end
    })

  // MARK: The table

  // code: livelock livelock-mended
  /// Two items on two threads, which both run before either goes on.
  private static func atTable(
    _ dine: @escaping @Sendable (Int, String) -> Void, end: @escaping @Sendable () -> Void
  ) {
    let queue = DispatchQueue(label: "table", attributes: .concurrent)
    let isHere = diners.map { _ in DispatchSemaphore(value: 0) }
    for (me, diner) in diners.enumerated() {
      queue.async {
        TraceRecorder.mark(diner.0)
        isHere[1 - me].signal()
        isHere[me].wait()
        dine(me, diner.0)
      }
    }
    queue.async(flags: .barrier) { DispatchQueue.main.async { end() } }
  }
  // end

  /// What bad luck does in a program: both are at the same place at the same time. Neither waits
  /// for that, so that the recording shows two threads that only compute.
  private final class KeepsStep: Sendable {
    /// For each meeting one for each diner.
    private let isHere = (0..<3 * rounds.count).map { _ in diners.map { _ in Flag() } }

    /// - Parameter meeting: the next one each time, from 0.
    func meet(_ meeting: Int, _ me: Int) {
      isHere[meeting][me].set()
      while !isHere[meeting][1 - me].isSet { Work.compute(microseconds: 20) }
    }
  }
}
