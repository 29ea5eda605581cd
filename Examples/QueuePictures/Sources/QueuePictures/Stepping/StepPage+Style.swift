// StepPage+Style — how the page of a walk looks, on light ground and on dark.

extension StepPage {
  static let style = """
    :root {
    \(variables(.light))
    }
    @media (prefers-color-scheme: dark) {
    :root {
    \(variables(.dark))
    }
    }
    * { box-sizing: border-box; }
    body {
      margin: 0 auto; padding: 16px 20px; max-width: 1440px; background: var(--ground);
      color: var(--text);
      font: 15px/1.5 -apple-system, "Segoe UI", "Helvetica Neue", "DejaVu Sans", Arial, sans-serif;
    }
    h1 { font-size: 20px; margin: 0; }
    p { margin: 4px 0; }
    .quiet { color: var(--quiet); }
    nav { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; margin: 12px 0 4px; }
    button {
      font: inherit; color: var(--text); background: var(--lane); border: 1px solid var(--line);
      border-radius: 6px; padding: 4px 12px; min-height: 34px; cursor: pointer;
    }
    button:disabled { opacity: 0.45; cursor: default; }
    :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
    #range { flex: 1 1 160px; min-width: 120px; accent-color: var(--accent); }
    #count { min-width: 7.5em; text-align: right; font-variant-numeric: tabular-nums; }
    #event { min-height: 3em; font-size: 16px; }
    #event strong { font-weight: 650; }
    main {
      display: grid; gap: 16px; grid-template-columns: minmax(0, 1.15fr) minmax(0, 1fr);
      grid-template-areas: "picture code" "steps code" "events code";
      align-items: start;
    }
    section { border: 1px solid var(--line); border-radius: 10px; overflow: auto; }
    #picture { grid-area: picture; }
    #picture svg { display: block; width: 100%; height: auto; }
    #picture .dark { display: none; }
    .later { fill: var(--ground); opacity: 0.78; }
    .now { stroke: var(--text); stroke-width: 1.5; }
    .thread { fill: var(--text); }
    #code { grid-area: code; padding: 8px 0; position: sticky; top: 16px; }
    #code div {
      display: flex; width: max-content; min-width: 100%; padding: 0 12px 0 0; white-space: pre;
      font: 12.5px/1.6 ui-monospace, "SF Mono", "DejaVu Sans Mono", Menlo, monospace;
    }
    #code i { flex: 0 0 46px; text-align: right; padding-right: 12px; color: var(--quiet); font-style: normal; user-select: none; }
    #code .at {
      flex-wrap: wrap; width: 100%; background: var(--lane); box-shadow: inset 3px 0 var(--quiet);
    }
    #code .at span { flex: 0 1 auto; max-width: calc(100% - 46px); white-space: pre-wrap; }
    #code .here {
      position: relative; background: var(--now); box-shadow: inset 6px 0 var(--accent);
      outline: 2px solid var(--accent); outline-offset: -2px; font-weight: 700;
    }
    #code .here::before {
      content: "▶"; position: absolute; left: 10px; color: var(--accent); font-size: 11px;
    }
    #code .here i { color: var(--text); }
    #code em { display: flex; gap: 4px; margin-left: auto; align-self: center; font-style: normal; }
    #code b {
      padding: 0 7px; border-radius: 9px; font-size: 11px; line-height: 17px; font-weight: 600;
      border: 1px solid var(--quiet); color: var(--text); background: var(--ground);
    }
    #code .here b.mover { background: var(--accent); border-color: var(--accent); color: var(--accent-ink); }
    #steps { grid-area: steps; }
    #events { grid-area: events; max-height: 300px; }
    ol { margin: 0; padding: 8px 12px 8px 40px; }
    #steps li, #events li { padding: 2px 8px; border-radius: 6px; cursor: pointer; }
    #steps li.done, #events li.done { color: var(--quiet); }
    #steps li.current, #events li.current {
      background: var(--now); color: var(--text); box-shadow: inset 5px 0 var(--accent);
    }
    #steps ul { margin: 0; padding-left: 18px; color: var(--quiet); font-size: 13.5px; }
    #events li { font-size: 13.5px; }
    kbd {
      font: 12px ui-monospace, "DejaVu Sans Mono", monospace; border: 1px solid var(--line);
      border-radius: 4px; padding: 0 5px;
    }
    @media (prefers-color-scheme: dark) {
      #picture .light { display: none; }
      #picture .dark { display: block; }
    }
    @media (max-width: 860px) {
      body { padding: 12px; }
      main { grid-template-columns: minmax(0, 1fr); grid-template-areas: "picture" "code" "steps" "events"; }
      #code { position: static; }
    }

    """

  private static func variables(_ palette: Palette) -> String {
    let isLight = palette.ground == Palette.light.ground
    return """
      color-scheme: \(isLight ? "light" : "dark");
      --ground: \(palette.ground); --lane: \(palette.lane); --line: \(palette.line);
      --text: \(palette.text); --quiet: \(palette.quiet); --accent: \(palette.accent);
      --accent-ink: \(palette.accentInk); --now: \(isLight ? "#fde8f2" : "#3a1c2d");
      """
  }
}
