// Theme — dark or light: the system's setting, until the reader chooses one.
(() => {
  "use strict";

  const { byId } = Signalbox;

  class Theme {
    constructor(changed) {
      this.changed = changed;
      this.system = matchMedia("(prefers-color-scheme: dark)");
      this.system.addEventListener("change", () => this.apply());
      byId("theme").addEventListener("click", () => this.toggle());
      this.apply();
    }

    get isDark() {
      return this.chosen ? this.chosen === "dark" : this.system.matches;
    }

    toggle() {
      this.chosen = this.isDark ? "light" : "dark";
      this.apply();
    }

    apply() {
      document.documentElement.dataset.theme = this.isDark ? "dark" : "light";
      byId("theme").textContent = this.isDark ? "Light" : "Dark";
      byId("theme").setAttribute("aria-label", this.isDark ? "Light colours" : "Dark colours");
      this.changed();
    }
  }

  Object.assign(Signalbox, { Theme });
})();
