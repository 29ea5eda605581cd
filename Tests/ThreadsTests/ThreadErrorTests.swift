// ThreadErrorTests — why a thread could not be started.

import SignalboxThreads
import Testing

@Suite struct ThreadErrorTests {
  @Test func theErrorDescribesTheErrno() {
    #expect(ThreadCreationError(code: 11) == ThreadCreationError(code: 11))
    #expect("\(ThreadCreationError(code: 11))".contains("pthread_create"))
  }
}
