// Durations — formats nanoseconds for people, and finds round steps for a time
// axis.
(() => {
  "use strict";

  const SECOND = 1e9;
  const MINUTE = 60 * SECOND;
  const HOUR = 60 * MINUTE;
  const SPACE = "\u00a0";

  function digits(value) {
    const places = value >= 100 ? 0 : value >= 10 ? 1 : 2;
    return String(Number(value.toFixed(places)));
  }

  /** Three significant digits: 830 ns, 12.5 µs, 1.2 ms, 3 s, 2 min 5 s, 1 h 3 min. */
  function duration(ns) {
    if (ns < 0) return "−" + duration(-ns);
    if (ns < 999.5) return `${Math.round(ns)}${SPACE}ns`;
    if (ns < 999.5e3) return `${digits(ns / 1e3)}${SPACE}µs`;
    if (ns < 999.5e6) return `${digits(ns / 1e6)}${SPACE}ms`;
    if (ns < MINUTE) return `${digits(ns / SECOND)}${SPACE}s`;
    if (ns < HOUR) return parts(ns, MINUTE, "min", SECOND, "s");
    return parts(ns, HOUR, "h", MINUTE, "min");
  }

  function parts(ns, large, largeUnit, small, smallUnit) {
    const total = Math.round(ns / small);
    const rest = total % (large / small);
    const whole = (total - rest) / (large / small);
    const head = `${whole}${SPACE}${largeUnit}`;
    return rest ? `${head} ${rest}${SPACE}${smallUnit}` : head;
  }

  const units = [
    [1, "ns"], [1e3, "µs"], [1e6, "ms"], [SECOND, "s"], [MINUTE, "min"], [HOUR, "h"],
  ];

  /**
   * Formats a point in time with enough digits to distinguish points that are `resolution` ns
   * apart.
   */
  function moment(ns, resolution = 1e3) {
    if (Math.abs(ns) >= MINUTE && resolution >= SECOND) return duration(Math.round(ns));
    const size = Math.max(Math.abs(ns), resolution);
    const [unit, name] = size >= SECOND ? units[3] : size >= 1e6 ? units[2]
      : size >= 1e3 ? units[1] : units[0];
    const places = Math.min(9, Math.max(0, Math.ceil(Math.log10(unit / resolution) - 1e-9)));
    return `${(ns / unit).toFixed(places)}${SPACE}${name}`;
  }

  const longSteps = [
    1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200, 86400,
  ].map((seconds) => seconds * SECOND);

  /** The smallest round step that is at least `ns` long. */
  function roundStep(ns) {
    if (ns > SECOND) {
      const step = longSteps.find((each) => each >= ns);
      return step ?? Math.ceil(ns / (24 * HOUR)) * 24 * HOUR;
    }
    const power = 10 ** Math.floor(Math.log10(Math.max(1, ns)) + 1e-12);
    const factor = [1, 2, 5, 10].find((each) => each * power >= ns - 1e-9);
    return factor * power;
  }

  Object.assign(Signalbox, { duration, moment, roundStep });
})();
