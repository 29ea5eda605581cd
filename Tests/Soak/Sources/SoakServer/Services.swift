// Services — what answers the requests of all connections.

import SignalboxDispatch

/// Takes the result of a request. Any thread calls it, once.
typealias Reply = @Sendable (String) -> Void

/// Answers requests of one kind.
protocol Service: Sendable {
  /// Begins to answer, and returns at once. Any thread calls it.
  func answer(_ request: Request, reply: @escaping Reply)
}

final class Services: Sendable {
  let counts = Counts()
  /// The listener, each connection, and each request under way.
  let open = DispatchGroup()
  private let table: [Kind: any Service]

  /// - Parameter file: the path of the file that `file` reads.
  init(file: String) {
    table = [
      .work: WorkService(), .lock: LockService(), .task: TaskService(), .child: ChildService(),
      .file: FileService(path: file), .operation: OperationService(counts: counts),
    ]
  }

  /// Begins a request, whoever answers it. Balance it with `end`.
  func begin() {
    open.enter()
    counts.noteBegun()
  }

  func end(_ kind: Kind) {
    counts.noteEnded(kind)
    open.leave()
  }

  /// Answers a request of a kind that a service answers.
  func answer(_ request: Request, reply: @escaping Reply) {
    guard let service = table[request.kind] else { return reply("refused") }
    service.answer(request, reply: reply)
  }
}
