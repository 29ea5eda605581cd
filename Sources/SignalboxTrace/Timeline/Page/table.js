// Table — rows that can be sorted by any column, shown a page at a time. A row
// links to its subject.
(() => {
  "use strict";

  const { count, element, label } = Signalbox;

  /** The number of rows that have elements at first, and that are added on demand. */
  const PAGE = 100;

  class DataTable {
    /**
     * A column is `{ id, title, text(row), value(row), words, bar }`: `value` is the sort key, `words`
     * marks text, and `bar` draws the value relative to the greatest one. A click calls
     * `open(row, column)`. A row with `partsOf(row)` instead opens and shows its parts below it.
     */
    constructor({ caption, columns, rows, sort, descending = true, open, partsOf = () => null }) {
      Object.assign(this, { caption, columns, rows, open, descending, partsOf, shown: PAGE, wanted: "" });
      this.opened = new Set();
      this.sortBy = columns.find((column) => column.id === sort);
      this.node = element("div", { class: "table-scroll" });
      this.draw();
    }

    sort(column) {
      this.descending = this.sortBy === column ? !this.descending : !column.words;
      this.sortBy = column;
      this.shown = PAGE;
      this.draw();
      this.node.querySelector(`[data-column="${column.id}"]`)?.focus();
    }

    /** Keeps the rows in which a word contains the text, which is in lower case. */
    filter(text) {
      if (text === this.wanted) return;
      this.wanted = text;
      this.shown = PAGE;
      this.draw();
    }

    matching() {
      if (!this.wanted) return this.rows;
      const texts = this.columns.filter((column) => column.words);
      return this.rows.filter((row) =>
        texts.some((column) => column.text(row).toLowerCase().includes(this.wanted)));
    }

    sorted(rows) {
      const { value, words } = this.sortBy;
      const sign = this.descending ? -1 : 1;
      const keyed = rows.map((row, i) => [value(row), i, row]);
      keyed.sort(([a, i], [b, k]) => sign * (words ? a.localeCompare(b) : a - b) || i - k);
      return keyed.map(([, , row]) => row);
    }

    draw() {
      const found = this.sorted(this.matching());
      const rows = found.flatMap((row) =>
        (this.opened.has(row) ? [row, ...this.sorted(this.partsOf(row))] : [row]));
      const most = new Map(this.columns.filter((column) => column.bar)
        .map((column) => [column, rows.reduce((top, row) => Math.max(top, column.value(row)), 0)]));
      this.inside = new Set(found.flatMap((row) => (this.opened.has(row) ? this.partsOf(row) : [])));
      const head = element("tr", {}, ...this.columns.map((column) => this.heading(column)));
      const body = rows.slice(0, this.shown).map((row) => this.row(row, most));
      const table = element("table", { class: "data" },
        element("caption", { class: "hidden-text" }, this.caption),
        element("thead", {}, head), element("tbody", {}, ...body));
      const hidden = this.rows.length - found.length;
      const note = hidden === 0 ? null : element("p", { class: "hidden-rows" },
        `${count(hidden)} rows do not match the search.`);
      const rest = rows.length - this.shown;
      const more = rest > 0 ? element("button", {
        type: "button", class: "more",
        onclick: () => {
          this.shown += PAGE * 5;
          this.draw();
        },
      }, `Show more (${count(rest)} rows are left)`) : null;
      this.node.replaceChildren(table, ...[more, note].filter((each) => each));
    }

    heading(column) {
      const sorted = this.sortBy === column;
      return element("th", {
        scope: "col", class: column.words ? "words" : "number",
        "aria-sort": sorted ? (this.descending ? "descending" : "ascending") : null,
      }, element("button", {
        type: "button", "data-column": column.id, title: column.help, onclick: () => this.sort(column),
      }, column.title, element("span", { class: "sort-sign", "aria-hidden": true },
        sorted ? (this.descending ? "▼" : "▲") : "")));
    }

    /** Opens or closes a row that has parts. */
    toggle(row) {
      if (!this.opened.delete(row)) this.opened.add(row);
      this.draw();
      const at = [...this.node.querySelectorAll("tr.has-parts")];
      at.find((each) => each.row === row)?.querySelector(".row-link").focus();
    }

    row(row, most) {
      const parts = this.partsOf(row);
      const cells = this.columns.map((column, i) => {
        const text = column.text(row);
        const content = i === 0
          ? element("button", {
            type: "button", class: "row-link",
            "aria-expanded": parts ? String(this.opened.has(row)) : null,
          }, parts ? element("span", { class: "turn", "aria-hidden": true }) : null, label(text))
          : column.words ? label(text) : text;
        const cell = element(i === 0 ? "th" : "td", {
          class: column.words ? "words" : "number", scope: i === 0 ? "row" : null,
          "data-column": column.id,
        }, content);
        if (column.bar && column.value(row) > 0) {
          const bar = element("span", { class: `cell-bar share-${column.bar}`, "aria-hidden": true });
          bar.style.width = `${100 * column.value(row) / most.get(column)}%`;
          cell.append(bar);
        }
        return cell;
      });
      const node = element("tr", {
        class: parts ? "has-parts" : this.inside.has(row) ? "is-part" : null,
        onclick: (event) => {
          if (parts) this.toggle(row);
          else this.open(row, event.target.closest("[data-column]")?.dataset.column);
        },
      }, ...cells);
      node.row = row;
      return node;
    }
  }

  Object.assign(Signalbox, { DataTable });
})();
