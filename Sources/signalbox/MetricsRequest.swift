// MetricsRequest — prints or serves what other processes have counted.

import SignalboxInspector

struct MetricsRequest {
  let processes: [Int32]
  /// Where to serve the metrics; nil to print them once.
  let address: ListeningAddress?

  /// How long one process may take while clients wait, in seconds.
  private static let servingLimit: UInt32 = 5

  /// Returns the status.
  func carryOut() -> Int32 {
    if let address { return serve(at: address) }
    var text = ExpositionText()
    var status: Int32 = 0
    for process in processes {
      if let problem = MetricsRequest.add(process, to: &text, within: inspectionLimit) {
        tell(problem)
        status = 1
      }
    }
    put(text.text)
    return status
  }

  /// Adds what a process has counted. A copy of this program reads the process, because a process
  /// may keep its reader waiting.
  ///
  /// - Returns: why the process could not be read; nil if it was.
  private static func add(
    _ process: Int32, to text: inout ExpositionText, within seconds: UInt32
  ) -> String? {
    var copy = ReadingCopy { answer in
      do throws(InspectionRefusal) {
        var text = ExpositionText()
        try Target.report(of: process).add(to: &text)
        answer("samples")
        answer(text.line)
      } catch {
        answer("refused")
        answer(error.text)
      }
    }
    if case .line(let kind) = copy.next(within: seconds),
      case .line(let line) = copy.next(within: seconds)
    {
      copy.end(byForce: false)
      if kind == "refused" { return line }
      text.add(line: line)
      return nil
    }
    copy.end(byForce: true)
    return "process \(process) could not be read within \(seconds) s"
  }

  // MARK: Serving

  /// Serves until the last of the processes has ended.
  private func serve(at address: ListeningAddress) -> Int32 {
    var lives: [ProcessLife] = []
    for process in processes {
      var text = ExpositionText()
      if let problem = MetricsRequest.add(process, to: &text, within: inspectionLimit) {
        fail(problem, status: 1)
      }
      if let life = ProcessLife(process) { lives.append(life) }
    }
    var server: MetricsServer
    do throws(Refusal) { server = try MetricsServer(at: address) } catch {
      fail(error.text, status: 1)
    }
    put("serving http://\(server.name)/metrics\n")
    while true {
      lives.removeAll { !$0.isAlive }
      if lives.isEmpty { return 0 }
      server.serve { MetricsRequest.text(of: lives) }
    }
  }

  /// The metrics of those that can be read at this moment.
  private static func text(of lives: [ProcessLife]) -> String {
    var text = ExpositionText()
    for life in lives where life.isAlive {
      var own = text
      let problem = add(life.process, to: &own, within: servingLimit)
      // If it is not alive, another process may have got its number meanwhile.
      if problem == nil && life.isAlive { text = own }
    }
    return text.text
  }
}
