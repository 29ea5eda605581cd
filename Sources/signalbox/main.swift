// signalbox — runs programs on Signalbox that were not built with it, tells what the threads of a
// running one wait for and what it has counted, and records it.

import Glibc
import SignalboxInspector

let usage = """
  usage: signalbox run [OPTION...] [--] PROGRAM [ARGUMENT...]
         signalbox ps
         signalbox report PID [--json]
         signalbox report --core FILE [PROGRAM] [--json]
         signalbox top [PID]
         signalbox trace PID [-d TIME] [-o FILE]
         signalbox metrics PID... [--listen ADDRESS:PORT]

  `run` runs PROGRAM with Signalbox's libdispatch.so in place of the toolchain's. PROGRAM is a path, or a
  name that is looked up in PATH. Variables such as SIGNALBOX_TRACE apply as in any program that
  uses Signalbox.

    --verbose   tell on standard error which library each part of the setting comes from
    --children  apply to the programs that PROGRAM starts, too
    --late      accept a PROGRAM that loads libdispatch only later, or that only its children use
    --trace FILE
                record PROGRAM, as SIGNALBOX_TRACE=FILE does
    --report-on-stall TIME
                write a report to standard error when threads have waited for each other, or no item of a queue
                has begun although some wait, for a TIME such as 500ms, 10s or 2m; once for each stall. PROGRAM
                then runs as a child, to which signals are passed on

  The status is PROGRAM's; 126 if it cannot run on Signalbox, 2 if the arguments are wrong.

  `ps` lists the processes that use Signalbox and can be inspected, and says why others cannot.
  `report` says what the threads of such a process wait for, and which thread holds it; deadlocks
  first. The process needs no preparation, and goes on meanwhile.

    --core FILE what its threads waited for when the core FILE was written. PROGRAM says where the program
                is now, if it was moved
    --json      one line of JSON, in the form of `SignalboxReport.json`

  `top` shows twice a second what the queues and threads of a process do; without a PID, the processes that can
  be inspected. In a pipe it writes a line each second.

    q quit; up, down or k, j select; tab the other table; enter open, escape back; s sort by rate, depth,
    items or name; / filter by text; space freeze. Without colours if NO_COLOR is set

  `trace` records a process for a while and writes what SIGNALBOX_TRACE would. The process needs no preparation.
  Ctrl-C ends the recording early, and writes what there is.

    -d TIME     how long: 500ms, 5s, 2m; 5s without it, and at most an hour
    -o FILE     where to: .html a page, .json, .txt, .perfetto-trace or .pftrace, .sbtrace; NAME-PID.html in this
                folder without it

  `metrics` prints what the queues, the worker pools and the timers of processes have counted, in the text
  format of Prometheus.

    --listen ADDRESS:PORT
                serve it over HTTP at /metrics until the last of the processes has ended, as at
                127.0.0.1:9464. A process that ends is left out from then on

  The status is 1 if a process, or the core, cannot be inspected.

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
    exit(request.carryOut())
  }
case "top":
  switch TopArguments(arguments.dropFirst()) {
  case .help: put(usage)
  case .wrong(let problem): fail("\(problem)\n\(usage)", status: 2)
  case .top(let request):
    do throws(InspectionRefusal) { try request.carryOut() } catch { fail(error.text, status: 1) }
  }
case "trace":
  switch TraceArguments(arguments.dropFirst()) {
  case .help: put(usage)
  case .wrong(let problem): fail("\(problem)\n\(usage)", status: 2)
  case .trace(let request):
    do throws(Refusal) { exit(try request.carryOut()) } catch { fail(error.text, status: 1) }
  }
case "metrics":
  switch MetricsArguments(arguments.dropFirst()) {
  case .help: put(usage)
  case .wrong(let problem): fail("\(problem)\n\(usage)", status: 2)
  case .metrics(let request): exit(request.carryOut())
  }
case nil: fail("which command?\n\(usage)", status: 2)
case .some(let word): fail("there is no command \(word)\n\(usage)", status: 2)
}
