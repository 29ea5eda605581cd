// Tasks — programs that adopt the executors, and then serve the main queue.

import Glibc
// block: OnePool/adopt SignalboxConcurrency/adopt
import SignalboxConcurrency

// end

func serveAdopted() throws -> Never {
  // block: OnePool/adopt
  try SignalboxExecutors.adopt()
  Task { await serve() }
  dispatchMain()
  // end
}

func showAdopted() throws -> Never {
  // block: SignalboxConcurrency/adopt
  try SignalboxExecutors.adopt()
  Task {
    try await DispatchQueue.global().perform { loadIndex() }
    await MainActor.run { show() }
  }
  dispatchMain()
  // end
}

private func serve() async {
  dispatchPrecondition(condition: .notOnQueue(.main))
  print("served, adopted: \(SignalboxExecutors.isAdopted)")
  exit(EXIT_SUCCESS)
}

private func loadIndex() {
  print("loaded")
}

private func show() {
  dispatchPrecondition(condition: .onQueue(.main))
  print("shown")
  exit(EXIT_SUCCESS)
}
