// Sorts and filters tables. Every figure stands in the page without it.
(function () {
  "use strict";
  const ranks = ["severe", "low", "friction", "not judged", "healthy", "few calls", "not called"];
  const units = { ms: 1, s: 1e3, min: 6e4, h: 36e5 };
  const none = [2, 0, ""];

  // What a cell is sorted by: numbers before words, cells without a figure last.
  function value(cell) {
    if (!cell) return none;
    const copy = cell.cloneNode(true);
    for (const small of copy.querySelectorAll("small, .vh")) small.remove();
    const text = copy.textContent.trim();
    const rank = ranks.indexOf(text);
    if (cell.querySelector(".st")) return [0, rank < 0 ? ranks.length : rank, text];
    if (!cell.classList.contains("n")) return text === "" ? none : [1, 0, text.toLowerCase()];
    const found = /^([+\u2212-]?)([\d,]+(?:\.\d+)?)\s*([a-z]*)/.exec(text);
    if (!found) return none;
    const number = Number(found[2].replaceAll(",", "")) * (units[found[3]] ?? 1);
    return [0, found[1] === "" || found[1] === "+" ? number : -number, ""];
  }

  // A figure that is missing stays at the end in both directions.
  function compare(a, b, way) {
    if (a[0] !== b[0]) return a[0] - b[0];
    return way * (a[1] - b[1] || (a[2] < b[2] ? -1 : a[2] > b[2] ? 1 : 0));
  }

  function makeSortable(table, body, rows) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      if (rows.some((row) => row.cells[column]?.querySelector("svg"))) return;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      // Numbers begin with the largest, words with the first; a third press restores the order.
      const first = head.classList.contains("n") ? "descending" : "ascending";
      const second = first === "ascending" ? "descending" : "ascending";
      button.addEventListener("click", () => {
        const now = head.getAttribute("aria-sort");
        const next = now === null ? first : now === first ? second : null;
        for (const other of heads) other.removeAttribute("aria-sort");
        let order = rows;
        if (next !== null) {
          head.setAttribute("aria-sort", next);
          const way = next === "ascending" ? 1 : -1;
          order = rows
            .map((row) => [row, value(row.cells[column])])
            .sort((a, b) => compare(a[1], b[1], way))
            .map(([row]) => row);
        }
        body.append(...order);
      });
    });
  }

  function makeFilter(table, rows) {
    const bar = document.createElement("p");
    bar.className = "filter";
    const label = document.createElement("label");
    const input = document.createElement("input");
    input.type = "search";
    input.autocomplete = "off";
    input.spellcheck = false;
    label.append("Filter ", input);
    const shown = document.createElement("span");
    shown.setAttribute("role", "status");
    bar.append(label, shown);
    const wide = table.closest(".wide");
    input.setAttribute("aria-label", "Filter: " + (wide.getAttribute("aria-label") ?? ""));
    wide.before(bar);
    const texts = rows.map((row) => row.textContent.toLowerCase());
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
      let count = 0;
      rows.forEach((row, at) => {
        row.hidden = !words.every((word) => texts[at].includes(word));
        if (!row.hidden) count += 1;
      });
      shown.textContent = words.length > 0 ? count + " of " + rows.length + " shown" : "";
    });
  }

  for (const table of document.querySelectorAll("table.sorts")) {
    const body = table.tBodies[0];
    const rows = [...body.rows];
    if (rows.length < 2) continue;
    makeSortable(table, body, rows);
    if (rows.length >= 5) makeFilter(table, rows);
  }
})();
