// signalbox — runs programs on Signalbox that were not built with it, and tells what the threads of a
// running one wait for.

import Glibc
import SignalboxInspector

let usage = """
  usage: signalbox run [--verbose] [--children] [--late] [--] PROGRAM [ARGUMENT...]
         signalbox ps
         signalbox report PID [--json]

  `run` runs PROGRAM with Signalbox's libdispatch.so in place of the toolchain's. PROGRAM is a path, or a
  name that is looked up in PATH. Variables such as SIGNALBOX_TRACE apply as in any program that
  uses Signalbox.

    --verbose   tell on standard error which library each part of the setting comes from
    --children  apply to the programs that PROGRAM starts, too
    --late      accept a PROGRAM that loads libdispatch only later, or that only its children use

  The status is PROGRAM's; 126 if it cannot run on Signalbox, 2 if the arguments are wrong.

  `ps` lists the processes that use Signalbox and can be inspected, and says why others cannot.
  `report` says what the threads of such a process wait for, and which thread holds it; deadlocks
  first. The process needs no preparation, and goes on meanwhile.

    --json      one line of JSON, in the form of `SignalboxReport.json`

  The status is 1 if the process cannot be inspected.

  """

let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "-h", "--help": put(usage)
case "run":
  switch RunArguments(arguments.dropFirst()) {
  case .help: put(usage)
  case .wrong(let problem): fail("\(problem)\n\(usage)", status: 2)
  case .run(let request):
    do throws(Refusal) { try request.carryOut() } catch { fail(error.text, status: 126) }
  }
case "ps":
  switch arguments.dropFirst().first {
  case nil: put(ProcessList().text)
  case "-h", "--help": put(usage)
  case .some(let word): fail("ps takes no \(word)\n\(usage)", status: 2)
  }
case "report":
  switch ReportArguments(arguments.dropFirst()) {
  case .help: put(usage)
  case .wrong(let problem): fail("\(problem)\n\(usage)", status: 2)
  case .report(let request):
    do throws(InspectionRefusal) { try request.carryOut() } catch { fail(error.text, status: 1) }
  }
case nil: fail("which command?\n\(usage)", status: 2)
case .some(let word): fail("there is no command \(word)\n\(usage)", status: 2)
}
