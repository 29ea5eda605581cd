// LockOrder — the program of "Testing code that uses queues": two locks in both orders, one after
// the other, so that nothing hangs.

import SignalboxLocks

// block: TestingQueues/lock-order
let accounts = NSLock()
let ledger = NSLock()

func deposit() {
  accounts.withLock {
    ledger.withLock { print("deposit") }
  }
}

func audit() {
  ledger.withLock {
    accounts.withLock { print("audit") }  // the other order
  }
}
// end

func takeInBothOrders() {
  accounts.name = "accounts"
  ledger.name = "ledger"
  deposit()
  audit()
}
