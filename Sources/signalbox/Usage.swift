// Usage — what `signalbox --help` says.

let usage = """
  usage: signalbox run [OPTION...] [--] PROGRAM [ARGUMENT...]
         signalbox ps
         signalbox report PID [--symbols FILE] [--json]
         signalbox report --core FILE [PROGRAM] [--symbols FILE] [--json]
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
    --symbols FILE
                for a program without symbols: take the names of its functions from FILE, the program before it
                was stripped, or its symbols alone (objcopy --only-keep-debug)
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
