// Names — the names of things on the page. Labels come from the traced program,
// so characters that would break a line or change the text direction are made
// visible.
(() => {
  "use strict";

  const { Flag, duration } = Signalbox;

  /** The number of bytes of a thread's name that the kernel keeps. */
  const KERNELS = 15;

  const breaks = /[\n\r\u2028\u2029\u0085]+/g;
  const invisible = /[\u0000-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

  /** A label on one line. */
  function oneLine(text) {
    return text.replace(breaks, " ⏎ ").replace(invisible, "\ufffd");
  }

  const kinds = {
    serial: "serial queue", concurrent: "concurrent queue", main: "main queue",
    global: "global queue", workloop: "workloop", task: "task",
    lock: "lock", condition: "condition", semaphore: "semaphore", group: "group", timer: "timer",
    source: "source", runLoop: "run loop", thread: "thread", operation: "operation", other: "object",
    worker: "worker",
  };

  const services = [
    "", "background", "utility", "default", "user-initiated", "user-interactive", "none given",
  ];

  const steps = [
    "entry", "before timers", "before sources", "block", "source", "input is ready",
    "before waiting", "asleep", "after waiting", "timer", "port", "main queue", "woken up", "late",
    "perform",
  ];

  /** Whether the main thread has only the name that the kernel gave it: the program's name. */
  function isKernels(name, program) {
    return name === "" || name === oneLine(program).slice(0, KERNELS);
  }

  class Names {
    constructor(story) {
      this.story = story;
      this.queues = story.queues.map((queue) => oneLine(queue.label) || `queue ${queue.index}`);
      this.threads = story.threads.map((thread) => {
        const name = oneLine(thread.name);
        if (thread.role === "main" && isKernels(name, story.meta.program)) return "main thread";
        return name || `${thread.role === "worker" ? "worker" : "thread"} ${thread.number}`;
      });
      this.objects = story.objects.map((object) => {
        const name = oneLine(object.name);
        if (object.described) return name; // The name describes the object: “the NSLock "canvas"”.
        return name ? `${kinds[object.kind] ?? object.kind} “${name}”`
          : `${kinds[object.kind] ?? object.kind} ${object.index}`;
      });
    }

    /** How long an item waited to start; "" if that was lost. */
    waited(id) {
      const { submitted, started } = this.story.items;
      const isLost = submitted[id] < 0 || (started[id] < 0 && this.story.has(id, Flag.truncated));
      return isLost ? "" : `waited ${duration(this.story.waited(id))}`;
    }

    /** What happened to an item after its wait. */
    run(id) {
      const { items } = this.story;
      if (items.started[id] < 0) {
        return this.story.has(id, Flag.truncated) ? "its start was lost" : "never started";
      }
      const thread = this.thread(items.runner[id]);
      return this.story.knowsRun(id) ? `ran ${duration(this.story.ran(id))} on ${thread}`
        : `started on ${thread}, its end was lost`;
    }

    queue(index) {
      return this.queues[index] ?? "an unknown queue";
    }

    /** A queue's label in two parts: up to and including the last dot, and the rest. */
    queueParts(index) {
      const label = this.queue(index);
      const dot = label.lastIndexOf(".", label.length - 2) + 1;
      return [label.slice(0, dot), label.slice(dot)];
    }

    thread(index) {
      return this.threads[index] ?? "an unknown thread";
    }

    object(index) {
      return this.objects[index] ?? "something unknown";
    }

    kind(word) {
      return kinds[word] ?? oneLine(word);
    }

    service(item) {
      return services[this.story.items.qos[item]] ?? "";
    }

    /**
     * An item's name: the program's mark in it, the operation that it runs, the task that it is a
     * job of, or its number.
     */
    item(index) {
      const { relations, operations } = this.story;
      const mark = relations?.markOf(index) ?? -1;
      if (mark >= 0) return this.mark(mark);
      const operation = relations?.operationOf(index) ?? -1;
      if (operation >= 0) return this.object(operations.object[operation]);
      const task = this.story.items.task[index] ?? -1;
      return task >= 0 ? this.task(task) : `item ${index + 1}`;
    }

    /** A task: by its number in the program, and by the name that the program gave it. */
    task(index) {
      const { tasks } = this.story;
      const name = oneLine(this.story.text(tasks.name[index]));
      return `task ${tasks.number[index]}${name ? ` “${name}”` : ""}`;
    }

    mark(index) {
      return oneLine(this.story.text(this.story.marks.text[index])) || `mark ${index + 1}`;
    }

    /** An interval's name, with its details: "decode: photo.jpeg". */
    interval(index) {
      const { intervals } = this.story;
      const details = oneLine(this.story.text(intervals.details[index]));
      const name = this.intervalShortly(index);
      return details ? `${name}: ${details}` : name;
    }

    intervalShortly(index) {
      return oneLine(this.story.text(this.story.intervals.name[index])) || `interval ${index + 1}`;
    }

    form(item) {
      const { story } = this;
      const barrier = story.has(item, Flag.barrier) ? "barrier " : "";
      if (story.has(item, Flag.sync)) return barrier + "sync";
      if (story.has(item, Flag.handler)) return barrier + "handler";
      if (story.has(item, Flag.job)) return barrier + "job of a task";
      return barrier + (story.has(item, Flag.delayed) ? "asyncAfter" : "async");
    }

    /** What a thread waits for: "for lock “cache”". */
    wait(index) {
      const { waits } = this.story;
      const words = oneLine(this.story.text(waits.reason[index])) || "for";
      if (waits.object[index] >= 0) return `${words} ${this.object(waits.object[index])}`;
      if (waits.queue[index] >= 0) return `${words} ${this.queue(waits.queue[index])}`;
      return words === "for" ? "for something unknown" : words;
    }

    /** What a thread waits for, in the shortest form. */
    waitShortly(index) {
      const { waits, objects, queues } = this.story;
      const object = objects[waits.object[index]];
      if (object) return oneLine(object.name) || (kinds[object.kind] ?? this.object(object.index));
      return queues[waits.queue[index]] ? this.queueParts(waits.queue[index])[1] : this.wait(index);
    }

    step(number) {
      return number >= 128 ? "exit" : steps[number] ?? `step ${number}`;
    }
  }

  Object.assign(Signalbox, { Names, oneLine });
})();
