// Everything that is read rather than watched: summary, differences, the problem file, notes, help.
import { element } from "./dom.js";
import { capital, numberText, plain, unitText } from "./format.js";

// What of the results is not shown in full.
export function noteTexts(results) {
  const notes = [];
  for (const result of results) {
    const of = results.length > 1 ? `${result.label}: ` : "";
    const rows = (count) => count.toLocaleString("en");
    const thinned = result.motions.find((motion) => motion.stride > 1);
    if (thinned) notes.push(`${of}animation of every ${ordinal(thinned.stride)} of ${rows(thinned.shownRows)} rows`);
    const bucket = Math.max(1, ...result.tables.map((table) => table.bucket));
    if (bucket > 1) notes.push(`${of}curves of the smallest and largest values of every ${bucket} rows`);
    if (result.leftOut > 0) notes.push(`${of}${result.leftOut} quantities left out (actio plot shows them)`);
  }
  return notes;
}

function ordinal(n) {
  const tail = n % 100 > 10 && n % 100 < 14 ? "th" : { 1: "st", 2: "nd", 3: "rd" }[n % 10] ?? "th";
  return `${n}${tail}`;
}

// A name that may break behind its slashes and underscores.
function breakable(name) {
  return name.split(/(?<=[/_])/).flatMap((part) => [part, element("wbr")]);
}

function numberCell(value, digits = 9) {
  return element("td", { class: "number", title: String(value) }, numberText(value, digits));
}

export function summaryPanel(results) {
  const names = [...new Set(results.flatMap((result) => result.summary.map((entry) => entry.name)))];
  const head = results.length > 1 ? [element("thead", {}, element("tr", {}, element("th"), ...results.map((r) => element("th", { class: "number" }, r.label)), element("th")))] : [];
  const rows = names.map((name) => {
    const entries = results.map((result) => result.summary.find((entry) => entry.name === name));
    return element("tr", {}, element("th", { scope: "row" }, capital(plain(name))),
      ...entries.map((entry) => (entry ? numberCell(entry.value) : element("td"))),
      element("td", { class: "unit" }, unitText(entries.find(Boolean).unit)));
  });
  const of = ({ label }) => (results.length > 1 ? `${label}: ` : "");
  const says = ({ message, remark, notes }, name) => (name === "remark" && message.includes(remark) ? "" : { message, remark, notes }[name]);
  const told = (name) => results.filter(({ texts }) => says(texts, name)).map((result) => element("p", { class: name }, of(result), result.texts[name]));
  return element("div", { class: "panel" }, ...told("message"), ...told("remark"), ...told("notes"), element("table", { class: "numbers" }, ...head, element("tbody", {}, ...rows)));
}

export function differencesPanel(differences, results) {
  const rows = [...differences].sort((a, b) => b.largest - a.largest).map((d) =>
    element("tr", {}, element("th", { scope: "row" }, ...breakable(d.component ? `${d.name}.${d.component}` : d.name)), numberCell(d.largest, 4), numberCell(d.at, 4), numberCell(d.root_mean_square, 4), numberCell(d.size, 4), element("td", { class: "unit" }, unitText(d.unit))));
  const heads = ["largest", "at time [s]", "root mean square", "largest value", "unit"].map((text) => element("th", { class: text === "unit" ? "" : "number" }, text));
  const note = differences.some((d) => d.interpolated) ? " The second was interpolated at the times of the first." : "";
  return element("div", { class: "panel" }, element("p", { class: "faint" }, `Differences of ${results[1].label} from ${results[0].label}.${note}`),
    element("table", { class: "numbers" }, element("thead", {}, element("tr", {}, element("th", {}, "quantity"), ...heads)), element("tbody", {}, ...rows)));
}

// The file as it was, with comments and keys set off.
function highlighted(text) {
  return text.split("\n").flatMap((line, i) => {
    const pieces = [];
    const key = /^(\s*(?:- )?)([^\s#:{[][^:#{[]{0,23})(:)(?=\s|$)/.exec(line);
    let rest = line;
    if (key) {
      pieces.push(key[1], element("span", { class: "key" }, key[2]), key[3]);
      rest = line.slice(key[0].length);
    }
    const comment = /(^|\s)#.*$/.exec(rest);
    if (comment) pieces.push(rest.slice(0, comment.index), element("span", { class: "comment" }, rest.slice(comment.index)));
    else pieces.push(rest);
    return i > 0 ? ["\n", ...pieces] : pieces;
  });
}

export function problemPanel(results) {
  return element("div", { class: "panel" }, ...results.map((result) => {
    const copy = element("button", { type: "button", onclick: () => copyText(result.texts.problem, copy) }, "Copy");
    return element("section", {}, element("header", { class: "file-head" }, element("h3", {}, results.length > 1 ? result.label : "The problem file as it was"), copy),
      element("pre", { class: "problem", tabindex: "0" }, ...highlighted(result.texts.problem || "(not in the result)")));
  }));
}

async function copyText(text, button) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Select and copy by hand";
  }
  setTimeout(() => (button.textContent = "Copy"), 1500);
}

const keys = [
  ["Space", "play or pause"], ["\u2190 \u2192", "one frame back or on (with Shift: ten)"], ["Home, End", "first or last frame"],
  ["+ \u2212", "faster or slower"], ["L", "start again at the end, or not"], ["F", "fit the view"], ["X Y Z I", "views along the axes, view from a corner"],
  ["T", "light or dark"], ["?", "this list"],
];

export function helpDialog() {
  const dialog = element("dialog", { class: "help" }, element("h3", {}, "Keys"),
    element("table", {}, element("tbody", {}, ...keys.map(([key, text]) => element("tr", {}, element("th", {}, element("kbd", {}, key)), element("td", {}, text))))),
    element("h3", {}, "Mouse"),
    element("p", {}, "View: drag to turn, drag with the right button (or two fingers) to move, wheel to come closer."),
    element("p", {}, "Plots: click to go to a time, drag to zoom in, double-click to see everything."),
    element("form", { method: "dialog" }, element("button", {}, "Close")));
  document.body.append(dialog);
  return dialog;
}

// A list of all quantities to choose from; answers through `add`.
export function chooser(result, add) {
  const all = result.tables.flatMap((table) => table.quantities);
  const times = new Map();
  for (const { name } of all) times.set(name, (times.get(name) ?? 0) + 1);
  const nameOf = (quantity) => (times.get(quantity.name) > 1 ? `${quantity.name} (${quantity.table.name})` : quantity.name);
  const chosen = new Set();
  const list = element("div", { class: "choices", role: "group" });
  const search = element("input", { type: "search", placeholder: "Filter, such as position or angle", "aria-label": "Filter", oninput: () => fill() });
  const shownAtMost = 300;
  const fill = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = all.filter((quantity) => words.every((word) => nameOf(quantity).toLowerCase().includes(word)));
    list.replaceChildren(...found.slice(0, shownAtMost).map((quantity) => {
      const box = element("input", { type: "checkbox", onchange: () => (box.checked ? chosen.add(quantity) : chosen.delete(quantity)) });
      box.checked = chosen.has(quantity);
      return element("label", {}, box, element("span", {}, nameOf(quantity)), element("span", { class: "unit" }, unitText(quantity.unit)));
    }), ...(found.length > shownAtMost ? [element("p", { class: "faint" }, `${found.length - shownAtMost} more: filter them`)] : []));
  };
  const across = element("select", { "aria-label": "Against" }, element("option", { value: "" }, "time"), ...all.slice(0, 2000).map((quantity) => element("option", { value: quantity.key }, nameOf(quantity))));
  const dialog = element("dialog", { class: "chooser" }, element("h3", {}, "Add a plot"), search, list, element("label", { class: "across" }, "against ", across),
    element("form", { method: "dialog" }, element("button", { value: "" }, "Cancel"), element("button", { class: "primary", value: "add" }, "Add")));
  dialog.addEventListener("close", () => {
    const against = all.find((quantity) => quantity.key === across.value) ?? null;
    const fitting = [...chosen].filter((quantity) => !against || quantity.table === against.table);
    if (dialog.returnValue === "add" && fitting.length) add(fitting, against);
  });
  document.body.append(dialog);
  return () => {
    chosen.clear();
    search.value = across.value = "";
    fill();
    dialog.returnValue = "";
    dialog.showModal();
    search.focus();
  };
}
