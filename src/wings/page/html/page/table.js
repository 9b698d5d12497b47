// A table that is sorted by a click on a heading and searched by a text.
//
// columns: {name, title, text(row), sort(row) (a number or text), left, cell(row) (a node in place of the text), bar(row) 0 to 1}

function sortedTable(columns, rows, options) {
  const first = options.first || 20, more = 200;
  let order = options.order, down = true, shown = first, found = rows;
  const body = node("tbody");
  const headings = columns.map((column) => node("th", {scope: "col", class: column.left ? "" : "number", "aria-sort": "none"},
    column.sort ? node("button", {type: "button", title: column.title || false, on: {click: () => sortBy(column.name)}}, column.name)
                : column.name));
  const rest = node("button", {type: "button", class: "more", on: {click: () => { shown += more; fill(); }}});
  const count = node("span", {class: "count", role: "status"});

  function cell(column, row) {
    const made = node("td", {class: column.left ? (column.wide ? "wide" : "") : "number"}, column.cell ? column.cell(row) : column.text(row));
    if (column.bar) {
      made.classList.add("bar");
      made.prepend(node("span", {class: "fill", "aria-hidden": "true", style: {width: (100 * Math.min(1, column.bar(row))).toFixed(2) + "%"}}));
    }
    return made;
  }

  function fill() {
    const by = columns.find((column) => column.name === order);
    const sorted = [...found].sort((a, b) => {
      const x = by.sort(a), y = by.sort(b);
      const compared = typeof x === "string" ? x.localeCompare(y) : x - y;
      return down ? -compared : compared;
    });
    body.replaceChildren(...sorted.slice(0, shown).map((row) => node("tr", {}, ...columns.map((column) => cell(column, row)))));
    columns.forEach((column, i) => headings[i].setAttribute("aria-sort", column.name === order ? (down ? "descending" : "ascending") : "none"));
    const left = found.length - Math.min(shown, found.length);
    rest.hidden = left === 0;
    rest.textContent = "Show " + (left > more ? more + " more of " + grouped(left) : "the other " + grouped(left));
    rest.dataset.left = leftOut(left, options.noun);
    count.textContent = found.length === rows.length ? plural(rows.length, options.noun) : grouped(found.length) + " of " + plural(rows.length, options.noun);
  }

  function sortBy(name) {
    if (order === name) down = !down;
    else {
      order = name;
      down = !columns.find((column) => column.name === name).left;
    }
    fill();
  }

  const parts = [];
  if (options.search && rows.length > 5) {
    const field = node("input", {type: "search", placeholder: options.placeholder || "Search", "aria-label": options.placeholder || "Search",
      on: {input: () => {
        const words = field.value.toLowerCase().split(/\s+/).filter((word) => word);
        found = words.length ? rows.filter((row) => { const text = options.search(row).toLowerCase(); return words.every((word) => text.includes(word)); }) : rows;
        shown = first;
        fill();
      }}});
    parts.push(node("div", {class: "tools"}, field, count));
  }
  fill();
  parts.push(node("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": options.label},
    node("table", {}, node("caption", {class: "unseen"}, options.label), node("thead", {}, node("tr", {}, ...headings)), body)), rest);
  return node("div", {class: "table"}, ...parts);
}
