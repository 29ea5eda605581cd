import GooglyPhotos
import SignalboxDispatch
import Synchronization
import Testing

@Suite struct LimitedWorkTests {
  @Test func noMorePiecesRunThanTheLimitAndAllDo() {
    let limit = 3, count = 60
    let work = LimitedWork(limit: limit, label: "test.limited")
    let done = DispatchSemaphore(value: 0)
    let running = Mutex((now: 0, most: 0, ran: 0))
    // The first pieces meet: fewer at a time than the limit would never end.
    let together = DispatchGroup()
    for _ in 0..<limit { together.enter() }
    for index in 0..<count {
      work.async {
        running.withLock {
          $0.now += 1
          $0.most = max($0.most, $0.now)
        }
        if index < limit {
          together.leave()
          together.wait()
        }
        running.withLock {
          $0.now -= 1
          $0.ran += 1
        }
        done.signal()
      }
    }
    for _ in 0..<count { #expect(arrives(done)) }
    let totals = running.withLock { $0 }
    #expect(totals == (now: 0, most: limit, ran: count))
  }

  @Test func piecesOfALimitOfOneRunInOrder() {
    let work = LimitedWork(limit: 1, label: "test.one")
    let done = DispatchSemaphore(value: 0)
    let order = Mutex<[Int]>([])
    for index in 0..<100 {
      work.async {
        order.withLock { $0.append(index) }
        if index == 99 { done.signal() }
      }
    }
    #expect(arrives(done))
    #expect(order.withLock { $0 } == Array(0..<100))
  }
}
