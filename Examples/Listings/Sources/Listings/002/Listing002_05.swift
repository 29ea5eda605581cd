import SignalboxDispatch
import SignalboxPatterns

extension Listing {
  static let number002_05 = Listing(
    "002-05", heading: "Flattening a completion block (translator's note)",
    shows: "five jobs of different length on a global queue, through AsyncSerialWorker",
    outcome: "prints 1, 2, 3, 4, 5; without the semaphore the order is lost",
    rows: ["P3", "G2", "Q4"]
  ) { story in
    // Each job is shorter than the one before: run at once, they would end the
    // other way round.
    let printed = Transcript()
    let a = Document002.AsyncSerialWorker()
    let all = DispatchGroup()
    for i in 1...5 {
      all.enter()
      a.enqueueWork { doneBlock in
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(60 - 10 * i)) {
          printed.append("\(i)")
          doneBlock()
          all.leave()
        }
      }
    }
    all.wait()
    story.tell(printed)
    story.check(printed.lines, is: ["1", "2", "3", "4", "5"], "with the semaphore: in order")

    // Without the semaphore, in order all the same: `SignalboxPatterns` waits on no
    // thread.
    let inOrder = Transcript()
    let repaired = AsyncSerialWorker()
    for i in 1...5 {
      all.enter()
      repaired.enqueueWork { doneBlock in
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(60 - 10 * i)) {
          inOrder.append("\(i)")
          doneBlock()
          all.leave()
        }
      }
    }
    all.wait()
    story.check(inOrder.lines, is: ["1", "2", "3", "4", "5"], "the repair: in order as well")

    // Without either all five are under way at once; each ends after the next.
    let unordered = Transcript()
    let serialQueue = DispatchQueue(label: "org.signalbox.listings.002-05")
    let ends = (1...6).map { _ in DispatchSemaphore(value: 0) }
    for i in 1...5 {
      all.enter()
      serialQueue.async {
        DispatchQueue.global().async {
          ends[i].wait()
          unordered.append("\(i)")
          ends[i - 1].signal()
          all.leave()
        }
      }
    }
    ends[5].signal()
    all.wait()
    story.tell(unordered)
    story.check(
      unordered.lines, is: ["5", "4", "3", "2", "1"],
      "without it the serial queue has started all five before the first has ended")
  }
}
