import SignalboxLocks
import SignalboxThreads

extension Listing {
  static let number004_65 = Listing(
    "004-65", heading: "Using synchronized",
    shows: "a method's body under the lock of its argument",
    outcome:
      "no other thread changes the argument within the body; different arguments do not "
      + "block each other",
    truth:
      "it keeps out only threads that lock the same object; two objects locked in opposite "
      + "orders are a deadlock, which is reported",
    rows: ["L9", "L11"],
    fault: {
      let (one, two) = (Document004.Account(), Document004.Account())
      let bothHoldOne = Rendezvous(of: 2)
      let a = JoinableThread {
        synchronized(one) {
          bothHoldOne.arrive()
          synchronized(two) {}
        }
      }
      a.name = "A"
      let b = JoinableThread {
        synchronized(two) {
          bothHoldOne.arrive()
          synchronized(one) {}
        }
      }
      b.name = "B"
      a.start()
      b.start()
      a.join()
    }
  ) { story in
    // One object, two threads. To add is to read and to write, in two steps.
    let account = Document004.Account()
    runSideBySide(2) { _ in
      for _ in 0..<1_000 {
        Document004.myMethod(account) { $0.balance.value = $0.balance.value + 1 }
      }
    }
    story.check(account.balance.value, is: 2_000, "within the body nobody else changes the object")

    // Two objects, two threads, which meet within their bodies.
    let accounts = [Document004.Account(), Document004.Account()]
    let bothAreInside = Rendezvous(of: 2)
    runSideBySide(2) { index in
      Document004.myMethod(accounts[index]) { account in
        bothAreInside.arrive()
        account.balance.value = 1
      }
    }
    story.check(
      accounts.map(\.balance.value), is: [1, 1], "different objects do not block each other")

    let seen = synchronized(account) {
      // Another thread, which does not ask.
      let thread = JoinableThread { account.balance.value = 0 }
      thread.start()
      thread.join()
      return account.balance.value
    }
    story.check(seen, is: 0, "who does not lock the object changes it all the same")

    let report = try story.runFault()
    story.check(report.wasTrapped, "A and B lock two objects in opposite orders: trapped")
    story.check(
      ["deadlock", "\"A\"", "\"B\""].allSatisfy(report.message.contains),
      "the report names both threads")
  }
}

extension Document004 {
  /// `anObj`.
  final class Account: Sendable {
    let balance = Cell(0)
  }

  static func myMethod(_ anObj: Account, _ body: (Account) -> Void) {
    synchronized(anObj) {
      body(anObj)
    }
  }
}
