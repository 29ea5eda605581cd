// Theme — dark or light: as the system says, until the reader says otherwise, which is remembered.
// Not a module: it runs before the first drawing, so that nothing flashes in the other colours.
(() => {
  "use strict";

  const KEY = "googlypuff-theme";
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const systemTheme = () => (system.matches ? "dark" : "light");

  // Storage may be forbidden; then the choice lasts as long as the page.
  let chosen = null;
  try {
    chosen = localStorage.getItem(KEY);
  } catch {
    chosen = null;
  }

  function remember(theme) {
    chosen = theme;
    try {
      if (theme) localStorage.setItem(KEY, theme);
      else localStorage.removeItem(KEY);
    } catch {
      return;
    }
  }

  function apply() {
    root.dataset.theme = chosen === "dark" || chosen === "light" ? chosen : systemTheme();
    const button = document.getElementById("theme");
    if (!button) return;
    const other = root.dataset.theme === "dark" ? "Light colours" : "Dark colours";
    button.setAttribute("aria-label", other);
    button.title = `${other} (T)`;
  }

  function toggle() {
    const other = root.dataset.theme === "dark" ? "light" : "dark";
    // Who is back at what the system says follows it again.
    remember(other === systemTheme() ? null : other);
    apply();
  }

  system.addEventListener("change", apply);
  apply();
  document.addEventListener("DOMContentLoaded", () => {
    document.getElementById("theme").addEventListener("click", toggle);
    apply();
  });
})();
