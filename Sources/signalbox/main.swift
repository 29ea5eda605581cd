// signalbox — runs programs on Signalbox that were not built with it.

import Glibc

let usage = """
  usage: signalbox run [--verbose] [--children] [--late] [--] PROGRAM [ARGUMENT...]

  Runs PROGRAM with Signalbox's libdispatch.so in place of the toolchain's. PROGRAM is a path, or a
  name that is looked up in PATH. Variables such as SIGNALBOX_TRACE apply as in any program that
  uses Signalbox.

    --verbose   tell on standard error which library each part of the setting comes from
    --children  apply to the programs that PROGRAM starts, too
    --late      accept a PROGRAM that loads libdispatch only later, or that only its children use

  The status is PROGRAM's; 126 if it cannot run on Signalbox, 2 if the arguments are wrong.

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
case nil: fail("which command?\n\(usage)", status: 2)
case .some(let word): fail("there is no command \(word)\n\(usage)", status: 2)
}
