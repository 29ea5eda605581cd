// StepPage+Script — how the page of a walk goes from event to event.
//
// All words of the recording become text nodes, never markup.

extension StepPage {
  static let script = #"""
    "use strict";
    const walk = JSON.parse(document.getElementById("walk").textContent);
    const find = (id) => document.getElementById(id);
    const make = (tag, text, name) => {
      const element = document.createElement(tag);
      if (text !== undefined) element.textContent = text;
      if (name) element.className = name;
      return element;
    };
    const milliseconds = (time) => `${(time / 1e6).toFixed(3)} ms`;

    // The code, a line an element: its number, its text, which threads are at it.
    const lines = walk.code.map((text, number) => {
      const line = make("div");
      line.append(make("i", number + 1), make("span", text || " "), make("em"));
      find("code").append(line);
      return line;
    });

    const steps = walk.steps.map((step) => {
      const item = make("li", step.text);
      if (step.facts.length > 0) {
        const facts = make("ul");
        for (const fact of step.facts) facts.append(make("li", fact));
        item.append(facts);
      }
      item.addEventListener("click", () => show(step.moment));
      find("steps").firstElementChild.append(item);
      return item;
    });

    const events = walk.moments.map((moment, number) => {
      const item = make(
        "li", `${milliseconds(moment.time)}  ${walk.threads[moment.thread].title} ${moment.words}`);
      item.addEventListener("click", () => show(number));
      find("events").firstElementChild.append(item);
      return item;
    });

    // Over each picture: a veil on what comes later, and a line at the event.
    const drawn = (name, attributes, parent) => {
      const element = document.createElementNS("http://www.w3.org/2000/svg", name);
      for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
      parent.append(element);
      return element;
    };
    const overlays = [...document.querySelectorAll("#picture svg")].map((svg) => {
      const height = walk.bottom - walk.top + 8;
      return {
        later: drawn("rect", {class: "later", y: walk.top - 4, height}, svg),
        now: drawn("line", {class: "now", y1: walk.top - 4, y2: walk.bottom + 4}, svg),
        thread: drawn("path", {class: "thread"}, svg),
      };
    });

    let current = 0;

    // The code reaches down to the window's end and not beyond it, so that the line at which a
    // thread is can be brought into view.
    const fitCode = () => {
      const isBeside = matchMedia("(min-width: 861px)").matches;
      const top = Math.max(16, find("code").parentElement.getBoundingClientRect().top);
      find("code").style.maxHeight =
        `${Math.max(160, isBeside ? innerHeight - top - 16 : 0.46 * innerHeight)}px`;
    };
    // By what is seen: `offsetTop` counts from the nearest positioned element, which the code
    // is where it sticks and is not where it does not.
    const center = (element, within) => {
      const [inner, outer] = [element.getBoundingClientRect(), within.getBoundingClientRect()];
      within.scrollTop += inner.top - outer.top - (outer.height - inner.height) / 2;
    };
    const bringIntoView = () => {
      fitCode();
      const line = find("code").querySelector("[aria-current]");
      if (line) center(line, find("code"));
    };

    function show(number) {
      current = Math.max(0, Math.min(walk.moments.length - 1, number));
      const moment = walk.moments[current];
      const thread = walk.threads[moment.thread];
      find("range").value = current;
      find("count").textContent = `event ${current + 1} of ${walk.moments.length}`;
      find("event").replaceChildren(
        make("span", `${milliseconds(moment.time)}: `), make("strong", thread.title),
        ` ${moment.words}.`);
      find("first").disabled = find("back").disabled = current === 0;
      find("last").disabled = find("next").disabled = current === walk.moments.length - 1;

      for (const overlay of overlays) {
        overlay.later.setAttribute("x", moment.x);
        overlay.later.setAttribute("width", Math.max(0, walk.right - moment.x));
        overlay.now.setAttribute("x1", moment.x);
        overlay.now.setAttribute("x2", moment.x);
        const [x, y] = [moment.x, thread.y];
        overlay.thread.setAttribute("d", y < 0 ? "" : `M${x - 9} ${y - 6} L${x} ${y} L${x - 9} ${y + 6} Z`);
      }

      // Where each thread is now: at its last line.
      const places = new Map();
      for (const {thread, line} of walk.moments.slice(0, current + 1)) {
        if (line >= 0) places.set(thread, line);
      }
      for (const line of lines) {
        line.className = "";
        line.lastChild.replaceChildren();
      }
      for (const [each, line] of places) {
        const isMover = each === moment.thread;
        lines[line].classList.add("at");
        if (isMover) {
          lines[line].classList.add("here");
          lines[line].setAttribute("aria-current", "true");
        }
        const name = make("b", walk.threads[each].title, isMover ? "mover" : "");
        lines[line].lastChild[isMover ? "prepend" : "append"](name);
      }
      for (const line of lines) {
        if (!line.classList.contains("here")) line.removeAttribute("aria-current");
      }
      for (const [number, item] of steps.entries()) {
        item.className = number + 1 < moment.step ? "done" : number + 1 === moment.step ? "current" : "";
      }
      for (const [number, item] of events.entries()) {
        item.className = number < current ? "done" : number === current ? "current" : "";
      }
      bringIntoView();
      center(events[current], find("events"));
      history.replaceState(null, "", `#event=${current + 1}`);
    }

    const stepFrom = (direction) => {
      const step = walk.moments[current].step;
      const next = walk.steps[direction > 0 ? step : step - 2];
      show(next ? next.moment : direction > 0 ? walk.moments.length - 1 : 0);
    };
    const keys = {
      ArrowRight: () => show(current + 1), ArrowLeft: () => show(current - 1),
      Home: () => show(0), End: () => show(walk.moments.length - 1),
      ArrowDown: () => stepFrom(1), ArrowUp: () => stepFrom(-1),
    };
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
      event.preventDefault();
      keys[event.key]();
    });
    find("first").addEventListener("click", keys.Home);
    find("back").addEventListener("click", keys.ArrowLeft);
    find("next").addEventListener("click", keys.ArrowRight);
    find("last").addEventListener("click", keys.End);
    addEventListener("resize", bringIntoView);
    addEventListener("scroll", fitCode, {passive: true});
    find("range").max = walk.moments.length - 1;
    find("range").addEventListener("input", () => show(Number(find("range").value)));
    show(Number(new URLSearchParams(location.hash.slice(1)).get("event") ?? 1) - 1 || 0);

    """#
}
