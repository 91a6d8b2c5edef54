/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The data of the atlas: scripts in data/ call these functions, so that pages work without a server. Text from files is only ever put into text nodes and attributes. */
"use strict";

const atlas = {
  index: null,      // what data/index.js has
  sets: {},         // forms by instruction set
  machines: [],     // rows by machine's number
  evidence: {},     // experiments by "machine-chunk"
  loading: {},      // promises by path

  begin(index) {
    atlas.index = index;
    startPages();
  },
  forms(set, data) {
    data.lower = data.names.map(name => name.toLowerCase());
    data.at = new Map(data.names.map((name, i) => [name, i]));
    atlas.sets[set] = data;
  },
  machine(number, data) {
    data.rowOf = new Map(data.form.map((form, row) => [form, row]));
    atlas.machines[number] = data;
  },
  experiments(number, chunk, data) {
    atlas.evidence[number + "-" + chunk] = data;
  },

  load(path) {
    if (!atlas.loading[path])
      atlas.loading[path] = new Promise((done, failed) => {
        const script = document.createElement("script");
        script.src = path;
        script.onload = done;
        script.onerror = () => { delete atlas.loading[path]; failed(new Error(path + " cannot be read")); };
        document.head.append(script);
      });
    return atlas.loading[path];
  },
  loadSet: set => atlas.load("data/forms-" + set + ".js"),
  loadMachines: numbers => Promise.all(numbers.map(n => atlas.load("data/machine-" + n + ".js"))),

  numberOf: id => atlas.index.machines.findIndex(m => m.id === id),
  ofSet(set) {
    return atlas.index.machines.map((m, i) => i).filter(i => atlas.index.machines[i].isa === set);
  },
};

/* Value of a column for one form on one machine; null: not known. */
const columns = {
  usage: {title: "usage", long: true, value: (d, row) => d.usages[d.usage[row]][0] || "no port"},
  latency: {title: "latency", unit: "cycles", number: true, value: (d, row) => d.latency[row]},
  uops: {title: "µops", number: true, value: (d, row) => d.uops[row]},
  cycles: {title: "cycles", unit: "per execution", number: true, value: (d, row) => d.cycles[row]},
  confidence: {title: "confidence", number: true, value: (d, row) => d.confidence[row]},
  source: {title: "rests on", long: true, value: (d, row) => d.sources[d.source[row]] || null},
};

function cellOf(machine, form, column) {
  const data = atlas.machines[machine], row = data.rowOf.get(form);
  return row === undefined ? null : columns[column].value(data, row);
}

/* Where a row names no source that of its machine holds. */
function sourceOf(machine, form) {
  return cellOf(machine, form, "source") || atlas.index.machines[machine].source || "";
}

function operandsOf(machine, form) {
  return atlas.machines[machine].operands[form] || [];
}

function numberText(column, value) {
  if (value === null)
    return "–";
  if (column === "confidence")
    return Math.round(100 * value) + " %";
  return column === "cycles" ? value.toFixed(2) : String(Math.round(100 * value) / 100);
}

function portSetText(machine, set) {
  const names = machine.ports.filter((name, i) => set >>> i & 1);
  return names.every(name => name.length === 1) ? "p" + names.join("") : "p[" + names.join(",") + "]";
}

/* What two machines say otherwise of a form, as far as both know it. */
const differences = {
  cycles: (a, b, form) => {
    const x = cellOf(a, form, "cycles"), y = cellOf(b, form, "cycles");
    return x !== null && y !== null && Math.abs(x - y) > 0.05 * Math.max(x, y);
  },
  latency: (a, b, form) => {
    const x = cellOf(a, form, "latency"), y = cellOf(b, form, "latency");
    return x !== null && y !== null && Math.abs(x - y) > 0.5;
  },
  uops: (a, b, form) => {
    const x = cellOf(a, form, "uops"), y = cellOf(b, form, "uops");
    return x !== null && y !== null && x !== y;
  },
};

/* The rows that a filter keeps, in their order: indices of forms. @filter: q, extension, show, confidence, machines, sort, down. */
function chooseForms(set, filter) {
  const data = atlas.sets[set], words = filter.q.toLowerCase().split(/\s+/).filter(Boolean), shown = filter.machines;
  const known = form => shown.filter(m => atlas.machines[m].rowOf.has(form)).length;
  const pairs = (test, form) => shown.some((a, i) => shown.slice(i + 1).some(b => test(a, b, form)));
  const keep = form => {
    if (filter.extension && data.extensions[data.extension[form]] !== filter.extension)
      return false;
    if (!words.every(word => data.lower[form].includes(word)))
      return false;
    if (filter.confidence && !shown.some(m => cellOf(m, form, "confidence") !== null && cellOf(m, form, "confidence") < filter.confidence / 100))
      return false;
    if (filter.show === "any")
      return known(form) > 0;
    if (filter.show === "all")
      return known(form) === shown.length;
    if (filter.show === "some")
      return known(form) > 0 && known(form) < shown.length;
    return !differences[filter.show] || pairs(differences[filter.show], form);
  };
  const rows = data.names.map((name, i) => i).filter(keep);
  return sortForms(rows, data, filter);
}

function sortForms(rows, data, filter) {
  const [column, machine] = filter.sort.split("@"), number = machine === undefined ? -1 : atlas.numberOf(machine);
  const ownKeys = {form: form => data.lower[form], uses: form => data.uses[form], extension: form => data.extensions[data.extension[form]]};
  const key = number >= 0 && columns[column] && atlas.machines[number] ? form => cellOf(number, form, column) : ownKeys[column] || ownKeys.uses;
  const keys = new Map(rows.map(form => [form, key(form)])), sign = filter.down ? -1 : 1;
  return rows.sort((a, b) => {
    const x = keys.get(a), y = keys.get(b);
    if (x === null || y === null)          // what is missing comes last either way
      return (x === null) - (y === null) || a - b;
    return (x < y ? -sign : x > y ? sign : 0) || a - b;
  });
}
