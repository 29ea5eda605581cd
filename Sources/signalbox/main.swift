// signalbox — runs programs on Signalbox that were not built with it. For a running program, shows
// what its threads wait for and what it has counted, and records it.

import Glibc
import SignalboxInspector

/// Carries out the command that the words name, and ends.
func carryOut(_ words: ArraySlice<String>) throws(UsageProblem) -> Never {
  var arguments = Arguments(words)
  switch try arguments.next() {
  case "run":
    let request = try RunRequest(arguments)
    do throws(Refusal) { try request.carryOut() } catch { fail(error.text, status: 126) }
  case "ps":
    if let word = try arguments.next() { throw .wrong("ps takes no \(word)") }
    put(ProcessList().text)
    exit(0)
  case "report": exit(try ReportRequest(arguments).carryOut())
  case "top":
    let request = try TopRequest(arguments)
    do throws(InspectionRefusal) { try request.carryOut() } catch { fail(error.text, status: 1) }
    exit(0)
  case "trace":
    let request = try TraceRequest(arguments)
    do throws(Refusal) { exit(try request.carryOut()) } catch { fail(error.text, status: 1) }
  case "metrics": exit(try MetricsRequest(arguments).carryOut())
  case nil: throw .wrong("which command?")
  case .some(let word): throw .wrong("there is no command \(word)")
  }
}

do throws(UsageProblem) {
  try carryOut(CommandLine.arguments.dropFirst())
} catch {
  switch error {
  case .help: put(usage)
  case .wrong(let problem): fail("\(problem)\n\(usage)", status: 2)
  }
}
