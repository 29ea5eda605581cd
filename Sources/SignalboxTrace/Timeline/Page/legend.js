// Legend — samples of the shapes, in CSS with the colours and patterns of the
// canvas.
(() => {
  "use strict";

  const { element } = Signalbox;

  const entries = [
    ["run", "running", "A filled bar: an item runs."],
    ["sync", "sync", "A bar with a notch: the closure of a sync runs on its caller."],
    ["barrier", "barrier", "Double lines over the whole queue: a barrier keeps everything else out."],
    ["wait", "waiting", "A thin bar from a tick: submitted, and waiting in the queue. Dashed: delayed."],
    ["blocked", "blocked", "Stripes: the thread is blocked."],
    ["idle", "idle", "Dots: a thread with nothing to do."],
    ["pass", "run-loop pass", "A frame: a pass of a run loop. Ticks are its steps; filled between them: from an observer’s call to the work."],
    ["held", "lock held", "A line with ends: a lock is held."],
    ["interval", "interval", "An outline with a name: an interval of the program. Dashed: another thread ended it."],
    ["timer", "timer", "A diamond: a timer fired. The dotted line leads back to when it was due."],
    ["mark", "mark", "A flag: a mark of the program."],
    ["hop", "hop", "An arrow: from where an item was submitted to where it ran. For a blocked thread: dashed from who held, and from who woke it."],
    ["preempted", "preempted", "Teeth under a bar: the thread was preempted within the item."],
    ["gap", "lost", "A chequered column: events were lost here."],
  ];

  const sample = (id) => element("span", { class: `sample sample-${id}`, "aria-hidden": true });

  /** The legend on one line, below the lanes. */
  function legendLine() {
    return entries.map(([id, title, text]) =>
      element("span", { class: "legend-entry", title: text }, sample(id), title));
  }

  /** The legend with explanations, for the help. */
  function legendList() {
    return element("ul", { class: "legend-list" }, ...entries.map(([id, , text]) =>
      element("li", {}, sample(id), element("span", {}, text))));
  }

  Object.assign(Signalbox, { legendLine, legendList });
})();
