// Tables are sorted by a click on a heading: numbers from the largest first, names from A to Z, then the other way.
for (const table of document.querySelectorAll("table")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, place) => head.querySelector("button").addEventListener("click", () => {
    const numeric = head.classList.contains("num");
    const first = numeric ? "descending" : "ascending";
    const other = numeric ? "ascending" : "descending";
    const order = head.getAttribute("aria-sort") === first ? other : first;
    const sign = order === "ascending" ? 1 : -1;
    const key = (row) => {
      const cell = row.cells[place];
      return "k" in cell.dataset ? Number(cell.dataset.k) : cell.textContent;
    };
    const lower = (text) => String(text).toLowerCase();
    const words = (a, b) => (a < b ? -1 : Number(a > b));
    const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : words(lower(a), lower(b)));
    const rows = [...table.tBodies[0].rows].sort((a, b) => sign * compare(key(a), key(b)));
    table.tBodies[0].append(...rows);
    heads.forEach((each) => each.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", order);
  }));
}
