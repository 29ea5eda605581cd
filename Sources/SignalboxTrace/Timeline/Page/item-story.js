// ItemStory — the life of an item in sentences: the thread and the item that
// submitted it, what it waited behind, where it ran, what blocked it, and what
// it submitted.
(() => {
  "use strict";

  const { count, counted, duration, element, Flag } = Signalbox;

  const LISTED = 8;

  class ItemStory {
    constructor(parts) {
      this.parts = parts;
      this.story = parts.story;
    }

    render(id) {
      const { parts, story } = this;
      const { items } = story;
      const tags = [parts.names.form(id)];
      const service = parts.names.service(id);
      if (service) tags.push(service);
      return [
        ...parts.title("Item", parts.names.item(id), "of ", parts.queue(items.queue[id])),
        element("p", { class: "tags" }, ...tags.map((tag) => element("span", { class: "tag" }, tag))),
        this.lifeline(id),
        parts.steps(
          ...this.operated(id), ...this.submitted(id), ...this.waited(id), ...this.ran(id)),
        this.jobs(id),
        this.children(id),
        parts.meanwhileSection(items.waitFrom[id], items.waitTo[id], id),
      ];
    }

    /** One sentence about an item, for the announcer and for tables. */
    sentence(id) {
      const { story, parts: { names } } = this;
      const blocked = story.relations.blockedIn(id);
      const life = [
        names.waited(id), names.run(id), blocked > 0 ? `blocked ${duration(blocked)}` : "",
      ].filter((part) => part !== "");
      return `${names.item(id)} of ${names.queue(story.items.queue[id])}, ${names.form(id)}: ${life.join(", ")}`;
    }

    lifeline(id) {
      const { story, parts } = this;
      const blocked = Math.min(story.relations.blockedIn(id), story.ran(id));
      return parts.shares([
        ["wait", "waiting", story.waited(id)], ["run", "running", story.ran(id) - blocked],
        ["blocked", "blocked", blocked],
      ]);
    }

    /**
     * For an item that runs an operation: when the operation entered its queue and became
     * ready.
     */
    operated(id) {
      const { parts, story: { operations, relations } } = this;
      const row = relations.operationOf(id);
      if (row < 0) return [];
      const [queued, ready] = [operations.queued[row], operations.ready[row]];
      return [parts.step("submit", "Runs ", parts.names.object(operations.object[row]),
        ...(queued >= 0 ? [", which came into its queue at ", parts.time(queued)] : []),
        ...(ready >= 0 && queued >= 0
          ? [ready > queued ? `, was ready ${duration(ready - queued)} later` : " and was ready at once"]
          : []),
        ".")];
    }

    submitted(id) {
      const { parts, story: { items } } = this;
      if (items.submitted[id] < 0) {
        return [parts.step("wait", "Its submission was not recorded.")];
      }
      const within = items.within[id];
      const word = (items.flags[id] & Flag.sync) !== 0 ? "Called by " : "Submitted by ";
      return [parts.step("submit", word, parts.thread(items.submitter[id]), " at ",
        parts.time(items.submitted[id]),
        ...(within >= 0 ? [" within ", parts.item(within), " of ", parts.queue(items.queue[within])] : []),
        ".")];
    }

    waited(id) {
      const { parts, story } = this;
      const { items } = story;
      if (parts.names.waited(id) === "") return [];
      const time = story.waited(id);
      if (time === 0) return [parts.step("wait", "Did not wait.")];
      const { total, found } = story.relations.behind(id, LISTED);
      const others = found.filter((each) => each !== id);
      const lines = others.map((each) => [parts.item(each), " on ", parts.thread(items.runner[each]),
        ` for ${duration(story.ran(each))}`]);
      if (total > others.length) lines.push([`and ${count(total - others.length)} more`]);
      const delayed = story.has(id, Flag.delayed) ? " (its delay included)" : "";
      const behind = others.length === 0
        ? items.started[id] < 0 ? " and had not begun when the recording ended." : "; nothing else of its queue ran."
        : `${items.started[id] < 0 ? " until the recording ended," : ""} behind ${counted(total, "item")} of its queue which ran meanwhile:`;
      return [parts.step("wait", "Waited ", element("strong", {}, duration(time)), delayed, behind,
        others.length ? parts.list(lines) : null)];
    }

    ran(id) {
      const { parts, story } = this;
      const { items, relations } = story;
      if (items.started[id] < 0) {
        const isLost = story.has(id, Flag.truncated);
        return [parts.step("end", isLost ? "Its start was lost." : "Was never started.")];
      }
      const steps = [];
      const waits = Array.from(relations.itemWaits.of(id)).filter((wait) => !story.isIdle(wait))
        .sort((a, b) => story.blocked(b) - story.blocked(a));
      const blocked = waits.slice(0, LISTED).map((wait) => this.blocked(wait));
      if (waits.length > LISTED) blocked.push([`and ${count(waits.length - LISTED)} more`]);
      const still = items.finished[id] < 0 ? " and was still running when the recording ended" : "";
      steps.push(story.knowsRun(id)
        ? parts.step("run", "Ran ", element("strong", {}, duration(story.ran(id))), " on ",
          parts.thread(items.runner[id]), " from ", parts.time(items.started[id]), still, ".")
        : parts.step("run", "Started on ", parts.thread(items.runner[id]), " at ",
          parts.time(items.started[id]), "; its end was lost."));
      if (blocked.length) {
        steps.push(parts.step("blocked", "Was blocked ",
          element("strong", {}, duration(relations.blockedIn(id))),
          ` in ${counted(waits.length, "wait")}:`, parts.list(blocked)));
      }
      const [given, taken] = [items.switches[id], items.preempted[id]];
      if (given > 0 || taken > 0) {
        steps.push(parts.step("switch", `${counted(given, "context switch", "context switches")} by its own waiting, `,
          `preempted ${counted(taken, "time")}.`));
      }
      if (items.finished[id] >= 0) {
        steps.push(parts.step("end", "Finished at ", parts.time(items.finished[id]), "."));
      }
      return steps;
    }

    blocked(wait) {
      const { parts, story: { waits } } = this;
      return [
        parts.wait(wait), ` for ${duration(this.story.blocked(wait))}`,
        ...(waits.owner[wait] >= 0 ? [", held by ", parts.thread(waits.owner[wait])] : []),
        ...(waits.waker[wait] >= 0 ? [", woken by ", parts.thread(waits.waker[wait])] : []),
        waits.timedOut[wait] ? ", timed out" : "",
      ];
    }

    /** For a job of a task: what else the task ran. */
    jobs(id) {
      const { parts, story } = this;
      const task = story.items.task[id];
      if (task < 0) return null;
      const jobs = story.relations.jobs.of(task);
      const at = jobs.indexOf(id);
      const first = Math.max(0, Math.min(at - (LISTED >> 1), jobs.length - LISTED));
      const shown = jobs.subarray(first, first + LISTED);
      const lines = Array.from(shown, (job, i) => [
        job === id ? "this one" : parts.link({ kind: "item", id: job }, `job ${count(first + i + 1)}`),
        " on ", parts.queue(story.items.queue[job]),
        story.items.started[job] < 0 ? ", not started" : `, ran ${duration(story.ran(job))}`,
      ]);
      if (jobs.length > shown.length) lines.push([`of ${count(jobs.length)}`]);
      return parts.section(`The jobs of ${parts.names.task(task)}`, parts.list(lines));
    }

    children(id) {
      const { parts, story } = this;
      const children = story.relations.children.of(id);
      if (children.length === 0) return null;
      const lines = Array.from(children.subarray(0, LISTED), (child) => [
        parts.item(child), " to ", parts.queue(story.items.queue[child]),
        `, waited ${duration(story.waited(child))}`,
      ]);
      if (children.length > LISTED) lines.push([`and ${count(children.length - LISTED)} more`]);
      return parts.section(`Submitted ${counted(children.length, "item")}`, parts.list(lines));
    }
  }

  Object.assign(Signalbox, { ItemStory });
})();
