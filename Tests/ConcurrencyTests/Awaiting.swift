// Awaiting — how these tests wait: without holding a thread, because they wait for tasks.

import SignalboxTestSupport

/// Waits until the condition holds. If it never does, the wedge detector ends the test.
nonisolated(nonsending) func until(_ condition: () -> Bool) async {
  while !condition() { try? await Task.sleep(for: .milliseconds(1)) }
}

/// How a wait ended.
enum Ending: Equatable, Sendable { case came, cancelled, failed }

/// Returns a task that waits for something and returns how the wait ended.
func ending(
  _ wait: @escaping @Sendable () async throws -> Void
) -> Task<Ending, Never> {
  Task {
    do {
      try await wait()
      return .came
    } catch is CancellationError {
      return .cancelled
    } catch {
      return .failed
    }
  }
}
