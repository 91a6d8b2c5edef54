/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pages of the atlas, each from its address after the #. */
"use strict";

const PAGE = 100;   // rows of a table at a time
const SETS_DRAWN = 30;

/* An element with attributes and children; strings become text. */
function make(name, attributes, ...children) {
  const svg = ["svg", "rect", "text", "title", "line"].includes(name);
  const element = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {}))
    if (key.startsWith("on"))
      element.addEventListener(key.slice(2), value);
    else if (value === true)
      element.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined)
      element.setAttribute(key, value);
  element.append(...children.filter(child => child !== null && child !== undefined));
  return element;
}

const address = (...parts) => "#/" + parts.map(encodeURIComponent).join("/");
const link = (text, ...parts) => make("a", {href: address(...parts)}, text);
const count = n => n.toLocaleString("en");

function table(caption, heads, rows, cards) {
  return make("div", {class: "scroll"}, make("table", {class: cards ? "cards" : null}, caption ? make("caption", {}, caption) : null,
    make("thead", {}, make("tr", {}, ...heads.map(head => make("th", {scope: "col", class: head.number ? "number" : null}, head.title || head)))),
    make("tbody", {}, ...rows.map(row => make("tr", {}, ...row.map((cell, i) => {
      const head = heads[i];
      return make(i ? "td" : "th", {scope: i ? null : "row", class: head.number ? "number" : head.long ? "long" : null, "data-label": head.title || head}, cell === null || cell === "" ? "–" : cell);
    }))))));
}

/* The table of forms: its filter stands in the address, so that a link or a bookmark finds it again. */
const defaults = {set: "", m: "", c: "usage,latency,cycles", q: "", extension: "", show: "any", confidence: "", sort: "uses", up: "", page: "0"};

function filterOf(query, fixed) {
  const values = Object.assign({}, defaults, Object.fromEntries(new URLSearchParams(query)), fixed);
  const sets = atlas.index.sets.map(s => s.name).filter(name => atlas.ofSet(name).length);
  if (!sets.includes(values.set))
    values.set = sets.sort((a, b) => atlas.ofSet(b).length - atlas.ofSet(a).length)[0] || "";
  const machines = values.m.split(",").map(decodeURIComponent).map(atlas.numberOf).filter(n => n >= 0 && atlas.index.machines[n].isa === values.set);
  return {values, set: values.set, machines: machines.length ? machines : atlas.ofSet(values.set).slice(0, 3), columns: values.c.split(",").filter(c => columns[c]),
          q: values.q, extension: values.extension, show: values.show, confidence: Number(values.confidence) || 0, sort: values.sort, down: !values.up,
          page: Math.max(0, Number(values.page) | 0)};
}

function queryOf(values) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(values))
    if (key in defaults && value !== defaults[key])
      query.set(key, value);
  return query.toString();
}

function select(label, name, value, options, changed) {
  return make("label", {}, label, make("select", {name, onchange: event => changed(event.target.value)},
    ...options.map(([key, text]) => make("option", {value: key, selected: key === value}, text))));
}

function checks(name, options, changed) {
  return make("div", {class: "choices"}, ...options.map(([key, text, on]) => make("label", {}, make("input", {type: "checkbox", name, value: key, checked: on, onchange: changed}), text)));
}

function checkedIn(element) {
  return [...element.querySelectorAll("input:checked")].map(input => input.value);
}

/* Puts the table of forms for @query into @place; @path is the address before the query. @fixed: what the page itself decides. */
async function formsTable(place, path, query, fixed) {
  let filter = filterOf(query, fixed);
  const body = make("div", {}), status = make("p", {role: "status", class: "quiet"});
  const change = async (changes, keepPage) => {
    const values = Object.assign({}, filter.values, keepPage ? {} : {page: "0"}, changes);
    filter = filterOf(queryOf(values), fixed);
    history.replaceState(null, "", path + (queryOf(filter.values) ? "?" + queryOf(filter.values) : ""));
    await draw();
  };
  const draw = async () => {
    await atlas.loadSet(filter.set);
    await atlas.loadMachines(filter.machines);
    const rows = chooseForms(filter.set, filter);
    const page = Math.min(filter.page, Math.max(0, Math.ceil(rows.length / PAGE) - 1));
    status.textContent = count(rows.length) + (rows.length === 1 ? " form" : " forms");
    const focused = body.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    body.replaceChildren(formRows(filter, rows.slice(page * PAGE, (page + 1) * PAGE), change), pager(rows.length, page, change));
    if (focused)   // the table is another one, the place in it the same
      (body.querySelector("[data-key=" + CSS.escape(focused) + "]:enabled") || body.querySelector(".pager button:enabled") || body).focus();
    matchSort(place, filter);
  };
  await atlas.loadSet(filter.set);
  place.append(controls(filter, change, fixed), status, body);
  await draw();
}

function controls(filter, change, fixed) {
  const set = atlas.sets[filter.set], extensions = [...set.extensions].filter(Boolean).sort();
  let waiting = 0;
  const later = event => { clearTimeout(waiting); const q = event.target.value; waiting = setTimeout(() => change({q}), 120); };
  const machines = make("fieldset", {}, make("legend", {}, "Machines shown"), checks("machine", atlas.ofSet(filter.set).map(n => [atlas.index.machines[n].id, atlas.index.machines[n].id,
    filter.machines.includes(n)]), () => change({m: checkedIn(machines).map(encodeURIComponent).join(",")})));
  const shown = make("fieldset", {}, make("legend", {}, "Columns"), checks("column", Object.keys(columns).map(c => [c, columns[c].title, filter.columns.includes(c)]),
    () => change({c: checkedIn(shown).join(",")})));
  const sets = atlas.index.sets.filter(s => atlas.ofSet(s.name).length).map(s => [s.name, s.name]);
  const setAll = on => { machines.querySelectorAll("input").forEach(input => { input.checked = on; }); change({m: checkedIn(machines).map(encodeURIComponent).join(",")}); };
  return make("div", {},
    make("form", {class: "controls", role: "search", onsubmit: event => event.preventDefault()},
      make("label", {}, "Search forms", make("input", {type: "search", name: "q", value: filter.q, placeholder: "add m64", oninput: later, autocomplete: "off", spellcheck: "false"})),
      fixed.m ? null : select("Instruction set", "set", filter.set, sets, value => { location.hash = "#/forms?set=" + encodeURIComponent(value); }),
      select("Extension", "extension", filter.extension, [["", "all"], ...extensions.map(e => [e, e])], value => change({extension: value})),
      select("Show", "show", filter.show, [["any", "known to a machine"], ["all", "known to all shown"], ["some", "known to some only"], ["every", "every form"], ["cycles", "cycles differ"],
        ["latency", "latency differs"], ["uops", "µops differ"]], value => change({show: value})),
      make("label", {}, "Confidence below, %", make("input", {type: "number", name: "confidence", min: 0, max: 100, value: filter.confidence || "", oninput: event => change({confidence: event.target.value})})),
      select("Sort by", "sort", filter.sort, sortKeys(filter), value => change({sort: value})),
      select("Order", "order", filter.values.up, [["", "largest first"], ["1", "smallest first"]], value => change({up: value}))),
    make("details", {}, make("summary", {}, "Machines and columns"), fixed.m ? null : machines,
      fixed.m ? null : make("p", {}, make("button", {type: "button", onclick: () => setAll(true)}, "All machines"), " ",
        make("button", {type: "button", onclick: () => setAll(false)}, "First three")), shown));
}

/* The choices of order follow the columns shown and what their titles sorted by. */
function matchSort(place, filter) {
  const sort = place.querySelector("select[name=sort]"), keys = sortKeys(filter);
  if (keys.map(([key]) => key).join() !== [...sort.options].map(option => option.value).join())
    sort.replaceChildren(...keys.map(([key, text]) => make("option", {value: key}, text)));
  sort.value = filter.sort;
  place.querySelector("select[name=order]").value = filter.values.up;
}

function sortKeys(filter) {
  const keys = [["uses", "uses"], ["form", "form"], ["extension", "extension"]];
  for (const m of filter.machines)
    for (const c of filter.columns)
      keys.push([c + "@" + atlas.index.machines[m].id, columns[c].title + ", " + atlas.index.machines[m].id]);
  return keys;
}

function pager(total, page, change) {
  const pages = Math.max(1, Math.ceil(total / PAGE)), go = to => () => change({page: String(to)}, true).then(() => document.querySelector("#page table").scrollIntoView());
  const button = (text, to, on) => make("button", {type: "button", "data-key": text, disabled: !on, onclick: go(to)}, text);
  return make("nav", {class: "pager", "aria-label": "Pages of the table"}, button("First", 0, page > 0), button("Previous", page - 1, page > 0),
    make("span", {}, "page " + count(page + 1) + " of " + count(pages)), button("Next", page + 1, page + 1 < pages), button("Last", pages - 1, page + 1 < pages));
}

function formRows(filter, rows, change) {
  const data = atlas.sets[filter.set], names = filter.machines.map(m => atlas.index.machines[m].id);
  const sorter = (title, key, span) => {
    const on = filter.sort === key;
    const flip = () => change(on ? {up: filter.down ? "1" : ""} : {sort: key, up: key === "form" || key === "extension" ? "1" : ""});
    return make("th", Object.assign({scope: "col", "aria-sort": on ? filter.down ? "descending" : "ascending" : null}, span),
      make("button", {type: "button", "data-key": key, onclick: flip}, title + (on ? filter.down ? " ▼" : " ▲" : "")));
  };
  const cell = (m, form, c, first) => {
    const value = cellOf(m, form, c), column = columns[c], operands = c === "latency" ? operandsOf(m, form) : [];
    return make("td", {class: (column.number ? "number" : column.long ? "long" : "") + (first ? " first" : ""), "data-label": names[filter.machines.indexOf(m)] + " " + column.title},
      make("span", {class: c === "usage" ? "code" : null}, column.number ? numberText(c, value) : value === null ? "–" : value,
        operands.length ? make("span", {class: "operands"}, operandsText(operands)) : null));
  };
  return make("div", {class: "scroll"}, make("table", {class: "cards"},
    make("caption", {}, "Cycles are per execution of copies that wait for nothing but ports and slots. Latencies in small print are from one operand to another."),
    make("thead", {}, make("tr", {}, sorter("form", "form", {rowspan: 2}), sorter("uses", "uses", {rowspan: 2, class: "number"}), sorter("extension", "extension", {rowspan: 2}),
      ...filter.machines.map(m => make("th", {scope: "colgroup", class: "group", colspan: Math.max(1, filter.columns.length)}, link(atlas.index.machines[m].id, "machine", atlas.index.machines[m].id)))),
      make("tr", {}, ...filter.machines.flatMap(m => filter.columns.map((c, i) => sorter(columns[c].title, c + "@" + atlas.index.machines[m].id,
        {class: (columns[c].number ? "number" : "") + (i ? "" : " group")}))))),
    make("tbody", {}, ...rows.map(form => make("tr", {}, make("th", {scope: "row"}, link(data.names[form], "form", filter.set, data.names[form])),
      make("td", {class: "number", "data-label": "uses"}, count(data.uses[form])), make("td", {"data-label": "extension"}, data.extensions[data.extension[form]] || "–"),
      ...filter.machines.flatMap(m => filter.columns.map((c, i) => cell(m, form, c, i === 0))))))));
}

function operandsText(operands) {
  const shown = operands.slice(0, 4).map(([from, to, cycles]) => from + "→" + to + " " + numberText("latency", cycles)).join(", ");
  return operands.length > 4 ? shown + ", " + (operands.length - 4) + " more" : shown;
}

/* A form on all machines of its set. */
async function formPage(place, set, name) {
  await atlas.loadSet(set);
  const data = atlas.sets[set], form = data ? data.at.get(name) : undefined;
  if (form === undefined)
    return place.append(heading("No such form"), make("p", {}, name + " is in no table of this atlas."));
  const machines = atlas.ofSet(set);
  await atlas.loadMachines(machines);
  const known = machines.filter(m => atlas.machines[m].rowOf.has(form)), missing = machines.filter(m => !atlas.machines[m].rowOf.has(form));
  place.append(heading(name), make("p", {}, (data.extensions[data.extension[form]] || "no extension known") + "; " + count(data.uses[form]) + " uses in programs. ",
    data.code[form] ? make("code", {}, data.code[form]) : null));
  place.append(make("h2", {}, "On machines"), table(null, ["machine", {title: "usage", long: true}, {title: "latency", number: true}, {title: "µops", number: true}, {title: "cycles", number: true},
    {title: "confidence", number: true}, {title: "rests on", long: true}], known.map(m => [link(atlas.index.machines[m].id, "machine", atlas.index.machines[m].id),
    make("span", {class: "code"}, cellOf(m, form, "usage")), ...["latency", "uops", "cycles", "confidence"].map(c => numberText(c, cellOf(m, form, c))), sourceOf(m, form)]), true));
  if (missing.length)
    place.append(make("p", {class: "quiet"}, "Not known to " + missing.map(m => atlas.index.machines[m].id).join(", ") + "."));
  const rules = known.flatMap(m => operandsOf(m, form).map(([from, to, cycles, source]) => [atlas.index.machines[m].id, from, to, numberText("latency", cycles), atlas.machines[m].sources[source]]));
  if (rules.length)
    place.append(make("h2", {}, "Latency per operand"), make("p", {class: "quiet"}, "Operands count from 1; without the load or the forwarded store before them."),
      table(null, ["machine", "from", "to", {title: "cycles", number: true}, {title: "rests on", long: true}], rules, true));
  await experimentsOf(place, set, form, known);
}

async function experimentsOf(place, set, form, known) {
  const data = atlas.sets[set], chunk = Math.floor(form / atlas.index.chunk), measured = known.filter(m => atlas.index.machines[m].experiments);
  place.append(make("h2", {}, "Experiments"));
  await Promise.all(measured.map(m => atlas.load("data/experiments-" + m + "-" + chunk + ".js")));
  const found = measured.filter(m => atlas.evidence[m + "-" + chunk][form]);
  if (!found.length)
    return place.append(make("p", {}, "No experiment with this form is known here; the column “rests on” names the source of each row."));
  place.append(make("p", {class: "quiet"}, "The loop holds each line as often as its number says, with other registers in each copy, many times over."));
  for (const m of found) {
    const rows = atlas.evidence[m + "-" + chunk][form], more = rows[rows.length - 1];
    place.append(table(atlas.index.machines[m].id + ", from " + atlas.index.machines[m].experiments, [{title: "instructions", long: true}, {title: "cycles", number: true}, {title: "spread", number: true}],
      rows.slice(0, -1).map(row => {
        const lines = [];
        for (let i = 2; i < row.length; i += 2)
          lines.push(row[i + 1] + " × " + (data.code[row[i]] || data.names[row[i]]));
        return [make("pre", {}, lines.join("\n")), row[0].toFixed(3), row[1] === null ? "–" : (100 * row[1]).toFixed(1) + " %"];
      }), true));
    if (more)
      place.append(make("p", {class: "quiet"}, count(more) + " more, larger ones are not shown."));
  }
}

function machinesPage(place) {
  place.append(heading("Machines"), table(null, ["machine", {title: "title", long: true}, "instruction set", {title: "forms", number: true}, {title: "ports", number: true}, {title: "checked against", long: true}],
    atlas.index.machines.map(m => [link(m.id, "machine", m.id), m.title, m.isa, count(m.forms), String(m.ports.length), m.checked]), true));
}

async function machinePage(place, id) {
  const number = atlas.numberOf(id);
  if (number < 0)
    return place.append(heading("No such machine"), make("p", {}, id + " is not in this atlas."));
  const m = atlas.index.machines[number];
  await atlas.loadSet(m.isa);
  await atlas.loadMachines([number]);
  place.append(heading(m.title + " (" + m.id + ")"), make("p", {}, m.isa + ", " + count(m.forms) + " forms. Checked against: " + (m.checked || "nothing that is recorded") + "."),
    make("p", {class: "quiet"}, m.source ? "Its mapping rests on: " + m.source : "Its mapping names no source."),
    make("p", {}, make("a", {href: "#/forms?set=" + encodeURIComponent(m.isa) + "&m=" + encodeURIComponent(encodeURIComponent(m.id))}, "Its forms"), " · ", link("Differences from another machine", "differences", m.id)));
  place.append(make("h2", {}, "Ports"), ...portsDrawing(number));
  place.append(make("h2", {}, "Facts"), table(null, ["fact", {title: "value", long: true}, "unit", {title: "meaning", long: true}, {title: "source", long: true}],
    m.facts.filter(([key]) => key !== "ports" && key !== "pipes").map(([key, value, unit, source, meaning, fitted]) => [make("code", {}, key), value, unit, meaning, (fitted ? "fitted: " : "") + source]), true));
}

/* Distinct µops of a machine: their ports, forms that have one, and uses of these. */
function microOps(number) {
  const data = atlas.machines[number], set = atlas.sets[atlas.index.machines[number].isa], found = new Map();
  data.form.forEach((form, row) => {
    const usage = data.usages[data.usage[row]];
    for (let i = 1; i < usage.length; i += 2) {
      const entry = found.get(usage[i + 1]) || {set: usage[i + 1], forms: 0, uses: 0};
      entry.forms++;
      entry.uses += set.uses[form] * usage[i];
      found.set(entry.set, entry);
    }
  });
  return [...found.values()].sort((a, b) => b.uses - a.uses || b.forms - a.forms);
}

function portsDrawing(number) {
  const m = atlas.index.machines[number], all = microOps(number), shown = all.slice(0, SETS_DRAWN), left = 8, cell = Math.max(30, 9 * Math.max(0, ...m.ports.map(p => p.length)) + 6), top = 130, row = 22;
  const width = left + cell * m.ports.length + 8, height = top + row * shown.length + 8, load = m.ports.map(() => 0);
  for (const u of all)
    m.ports.forEach((port, i) => { if (u.set >>> i & 1) load[i] += u.uses / m.ports.filter((p, k) => u.set >>> k & 1).length; });
  const most = Math.max(...load, 1), pipe = i => m.pipes >>> i & 1, parts = [];
  m.ports.forEach((port, i) => {
    const tall = 80 * load[i] / most;
    parts.push(make("rect", {x: left + i * cell + 4, y: 92 - tall, width: cell - 8, height: tall, class: pipe(i) ? "pipe" : "on"}),
      make("rect", {x: left + i * cell + 1, y: 96, width: cell - 2, height: 24, rx: 3, class: "box"}),
      make("text", {x: left + (i + .5) * cell, y: 112, "text-anchor": "middle"}, port));
  });
  shown.forEach((u, k) => {
    const y = top + k * row;
    parts.push(make("line", {x1: left, x2: width - 8, y1: y + row / 2, y2: y + row / 2, class: "grid"}));
    m.ports.forEach((port, i) => {
      if (u.set >>> i & 1)
        parts.push(make("rect", {x: left + i * cell + 4, y: y + 3, width: cell - 8, height: row - 6, rx: 3, class: pipe(i) ? "pipe" : "on"}));
    });
  });
  const caption = "Ports of " + m.id + ". Bars: share of µops of programs, spread evenly over the ports that a µop can take. Rows: distinct µops, the most used first.";
  return [make("p", {class: "quiet"}, caption + (all.length > shown.length ? " " + shown.length + " of " + all.length + " are drawn." : "")),
    make("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": "Drawing of the ports"},
      make("svg", {width, height, viewBox: "0 0 " + width + " " + height, role: "img"}, make("title", {}, caption), ...parts)),
    make("details", {}, make("summary", {}, "The same as a table"), table(null, ["ports", {title: "forms", number: true}, {title: "uses", number: true}],
      all.map(u => [make("code", {}, portSetText(m, u.set)), count(u.forms), count(u.uses)])))];
}

async function differencesPage(place, first, second, query) {
  const ids = atlas.index.machines.map(m => m.id), a = ids.includes(first) ? first : ids[0], set = atlas.index.machines[atlas.numberOf(a)].isa;
  const others = atlas.ofSet(set).map(n => ids[n]).filter(id => id !== a), b = others.includes(second) ? second : others[0];
  const go = (x, y) => { location.hash = address("differences", x, y); };
  place.append(heading("Differences between two machines"), make("div", {class: "controls"},
    select("One", "a", a, ids.map(id => [id, id]), value => go(value, b || "")), b ? select("Other", "b", b, others.map(id => [id, id]), value => go(a, value)) : null));
  if (!b)
    return place.append(make("p", {}, "No other machine of this set is in the atlas."));
  const [x, y] = [atlas.numberOf(a), atlas.numberOf(b)];
  await atlas.loadSet(set);
  await atlas.loadMachines([x, y]);
  const both = atlas.machines[x].form.filter(form => atlas.machines[y].rowOf.has(form)), differ = kind => both.filter(form => differences[kind](x, y, form)).length;
  place.append(table(count(both.length) + " forms are known to both.", ["difference", {title: "forms", number: true}], [["cycles by more than 5 %", count(differ("cycles"))],
    ["latency by more than half a cycle", count(differ("latency"))], ["number of µops", count(differ("uops"))], ["known to " + a + " only", count(atlas.machines[x].form.length - both.length)],
    ["known to " + b + " only", count(atlas.machines[y].form.length - both.length)]]), make("p", {class: "quiet"}, "Ports are named by each machine; the same name need not be the same port."));
  const fixed = {set, m: [a, b].map(encodeURIComponent).join(",")};
  await formsTable(place, address("differences", a, b), query || "show=cycles", fixed);
}

function heading(text) {
  document.title = text + " · Portolan atlas";
  return make("h1", {tabindex: -1}, text);
}

async function show(first) {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?"), parts = path.split("/").map(part => { try { return decodeURIComponent(part); } catch (e) { return part; } });
  const page = document.getElementById("page"), place = make("div", {}), name = parts[0] || "forms";
  if (name === "page")
    return page.focus();
  document.querySelectorAll("nav a").forEach(a => {
    const here = a.getAttribute("href") === "#/" + name || (name === "form" && a.getAttribute("href") === "#/forms") || (name === "machine" && a.getAttribute("href") === "#/machines");
    here ? a.setAttribute("aria-current", "page") : a.removeAttribute("aria-current");
  });
  page.replaceChildren(make("p", {role: "status"}, "Loading…"));
  try {
    if (name === "form")
      await formPage(place, parts[1], parts[2] || "");
    else if (name === "machines")
      machinesPage(place);
    else if (name === "machine")
      await machinePage(place, parts[1]);
    else if (name === "differences")
      await differencesPage(place, parts[1], parts[2], query);
    else {
      place.append(heading("Instruction forms"));
      await formsTable(place, "#/forms", query, {});
    }
  } catch (fault) {
    place.append(make("p", {role: "alert"}, "This page could not be made: " + fault.message + ". Write the atlas again."));
  }
  page.replaceChildren(place);
  if (!first)
    (place.querySelector("h1") || page).focus();
}

function startPages() {
  document.getElementById("footer").append("Portolan " + atlas.index.version + ", " + count(atlas.index.machines.length) + " machines.");
  window.addEventListener("hashchange", () => show(false));
  document.getElementById("skip").addEventListener("click", event => { event.preventDefault(); document.getElementById("page").focus(); });
  show(true);
}
