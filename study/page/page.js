// Tables sort by a click on a heading, and show the rows that have all words of the filter.
"use strict";
for (const table of document.querySelectorAll("table")) {
  const body = table.tBodies[0];
  const filter = table.parentElement.querySelector("input");
  const count = table.parentElement.querySelector("output");
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
  [...table.tHead.rows[0].cells].forEach((heading, column) => {
    heading.addEventListener("click", () => {
      const down = heading.getAttribute("aria-sort") === "ascending";
      for (const other of heading.parentElement.cells) other.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = (row) => row.cells[column].textContent;
      const rows = [...body.rows].sort((a, b) => {
        const x = key(a), y = key(b);
        const order = x === "" || y === "" ? (x === "") - (y === "") : x - y || x.localeCompare(y, undefined, { numeric: true });
        return down ? -order : order;
      });
      body.append(...rows);
    });
  });
}
