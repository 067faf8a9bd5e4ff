"use strict";
// A table is sorted by a click on a heading, or by Enter on it, and shows the rows that have all words of the filter.
for (const table of document.querySelectorAll("table")) {
  const body = table.tBodies[0];
  const section = table.closest("section");
  const filter = section.querySelector("input");
  const count = section.querySelector("output");
  const show = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of body.rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      shown += row.hidden ? 0 : 1;
    }
    count.textContent = shown + " of " + body.rows.length + " points";
  };
  filter.addEventListener("input", show);
  show();
  // Numbers come before texts in their own order; rows without a value come last, whichever way the others go.
  const order = (x, y) => parseFloat(x) - parseFloat(y) || x.localeCompare(y, undefined, { numeric: true });
  [...table.tHead.rows[0].cells].forEach((heading, column) => {
    const sort = () => {
      const down = heading.getAttribute("aria-sort") === "ascending";
      for (const other of heading.parentElement.cells) other.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", down ? "descending" : "ascending");
      const value = (cell) => cell.dataset.number ?? cell.textContent; // 64KiB is 65536
      const rows = [...body.rows].map((row) => [value(row.cells[column]), row]);
      rows.sort(([x], [y]) => (x === "") - (y === "") || (down ? order(y, x) : order(x, y)));
      body.append(...rows.map(([, row]) => row));
    };
    heading.tabIndex = 0;
    heading.addEventListener("click", sort);
    heading.addEventListener("keydown", (event) => { if (event.key === "Enter") sort(); });
  });
}
// The values of a point of a plot stand beside the mouse, a line each. Without this script browsers show the titles.
const values = document.createElement("div");
values.id = "values";
values.hidden = true;
document.body.append(values);
for (const spot of document.querySelectorAll(".spot")) {
  const title = spot.querySelector("title");
  spot.dataset.values = title.textContent.replaceAll(", ", "\n");
  spot.setAttribute("aria-label", title.textContent);
  title.remove();
  spot.addEventListener("mouseenter", (event) => {
    values.textContent = spot.dataset.values;
    values.hidden = false;
    const left = Math.min(event.pageX + 14, document.documentElement.clientWidth - values.offsetWidth - 8);
    values.style.left = left + "px";
    values.style.top = event.pageY + 14 + "px";
  });
  spot.addEventListener("mouseleave", () => { values.hidden = true; });
}
