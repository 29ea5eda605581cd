// GooglyEyes — the pupils of the page's own eyes look at the pointer.

const REACH = { white: [10, 8.5], slow: 220 };

export class GooglyEyes {
  constructor(node) {
    this.node = node;
    this.pupils = [...node.querySelectorAll(".pupil")];
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    addEventListener("pointermove", (event) => this.look(event), { passive: true });
  }

  /** Once a drawing, however often the pointer moves. */
  look(event) {
    if (this.still.matches) return;
    if (!this.asked) requestAnimationFrame(() => this.draw());
    this.asked = event;
  }

  draw() {
    const { clientX, clientY } = this.asked;
    this.asked = null;
    const { left, top, width, height } = this.node.getBoundingClientRect();
    if (width === 0) return;
    this.pupils.forEach((pupil, at) => {
      const dx = clientX - (left + width * (at === 0 ? 0.26 : 0.76));
      const dy = clientY - (top + height / 2);
      const distance = Math.hypot(dx, dy);
      const reach = REACH.white[at] * Math.min(1, distance / REACH.slow);
      const [x, y] = distance > 0 ? [(dx / distance) * reach, (dy / distance) * reach] : [0, 0];
      pupil.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
    });
  }
}
