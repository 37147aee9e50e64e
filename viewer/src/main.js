// The page: lays out the parts and connects them.
import * as THREE from "three";
import { groups as arrowGroups } from "./arrows.js";
import { resultants, scaleColour } from "./beam.js";
import { Clock } from "./clock.js";
import { loadData } from "./data.js";
import { element, icon, iconButton } from "./dom.js";
import { EventMarks, eventsOf, eventsPanel } from "./events.js";
import { Fan, pathsOf } from "./fan.js";
import { capital, numberText, unitText } from "./format.js";
import { Mechanism } from "./mechanism.js";
import { chooser, differencesPanel, helpDialog, noteTexts, problemPanel, summaryPanel } from "./panels.js";
import { Plots } from "./plots.js";
import { usualPlots } from "./quantities.js";
import { replaysPanel } from "./replays.js";
import { Stage } from "./stage.js";
import { startTheme, toggleTheme } from "./theme.js";
import { Transport } from "./transport.js";

startTheme();
try {
  start(loadData());
} catch (error) {
  document.getElementById("app").append(element("p", { class: "broken" }, `This page cannot be shown: ${error.message}`));
  throw error;
}

function start(data) {
  const { results } = data;
  const [start, end] = timeRange(results);
  const clock = new Clock(start, end);
  const events = eventsOf(results[0]);
  const replays = replaysPanel(results[0]);
  const view = viewPanel(results, clock, events);
  const plots = plotPanel(results, clock, events);
  const side = tabs([
    ["Plots", plots.root],
    ["Summary", summaryPanel(results)],
    ...(events.length ? [["Events", eventsPanel(events, clock)]] : []),
    ...(replays ? [["Replays", replays]] : []),
    ...(data.differences ? [["Differences", differencesPanel(data.differences, results)]] : []),
    ["Problem file", problemPanel(results)],
  ]);
  const help = helpDialog();
  const still = results.every((result) => !result.motions.length); // the plots have the page for themselves
  const split = element("main", { class: still ? "split still" : "split" }, view.root, element("div", { class: "divider", role: "separator", "aria-label": "Width of the plots", tabindex: "0" }), side);
  document.getElementById("app").append(topBar(data, help), split, footer(data));
  makeDivider(split);
  if (!plots.open()) side.querySelectorAll("[role=tab]")[1].click();
  listenToKeys(clock, view, help);
  window.actio = { clock, plots: plots.plots, stage: null, ready: false }; // for a look from the console
  setTimeout(() => {
    // once the rest is on the screen: the view takes longest to begin with
    view.open();
    clock.changed();
    Object.assign(window.actio, { stage: view.stage, marks: view.marks, fan: view.fan, ready: true, readyAfter: performance.now() });
  });
}

function timeRange(results) {
  let start = Infinity;
  let end = -Infinity;
  for (const { motions, tables } of results) {
    const sources = motions.length ? motions : tables;
    for (const { time } of sources) {
      if (!time.length) continue;
      start = Math.min(start, time[0]);
      end = Math.max(end, time[time.length - 1]);
    }
  }
  return start <= end ? [start, end] : [0, 1];
}

// ---- frame ----

function topBar({ results }, help) {
  const { texts } = results[0];
  const title = results.length > 1 ? results.map((result) => result.label).join(" and ") : texts.title || results[0].label;
  const badges = results.map(({ texts: t }) => (t.status ? badge(t) : null));
  const facts = results.length > 1 ? texts.title : results[0].label;
  return element("header", { class: "top" }, element("h1", {}, title), ...badges, element("span", { class: "faint" }, facts),
    element("span", { class: "gap" }), iconButton("help", "Keys and mouse (?)", () => help.showModal()), iconButton("theme", "Light or dark (T)", toggleTheme, { id: "theme" }));
}

// How it ended; a click shows what there is to say about it.
function badge({ status, message, remark: said }) {
  const remark = message.includes(said) ? "" : said;
  const kind = !["solved", "certified", "shard_done"].includes(status) ? "bad" : remark ? "fair" : "good";
  const text = `${status.replaceAll("_", " ")}${remark ? ", with a remark" : ""}`;
  const title = [message, remark].filter(Boolean).join("\n\n") || status;
  if (!message && !remark) return element("span", { class: `badge ${kind}`, title }, text);
  return element("button", { type: "button", class: `badge ${kind}`, title, onclick: () => document.getElementById("tab-summary").click() }, text);
}

function footer({ program, results }) {
  const notes = noteTexts(results);
  return element("footer", { class: "bottom" },
    element("span", { class: "notes", id: "notes", title: notes.join("; ") }, notes.length ? `Thinned for display: ${notes.join("; ")}.` : "All rows are shown."), 
    element("span", { class: "gap" }), element("span", { class: "program" }, `actio ${program}`));
}

function tabs(entries) {
  const bar = element("div", { class: "tabs", role: "tablist" });
  const root = element("aside", { class: "side" }, bar);
  const panels = entries.map(([, panel]) => panel);
  const buttons = entries.map(([name], i) => element("button", { type: "button", role: "tab", id: `tab-${name.toLowerCase().replaceAll(" ", "-")}`, onclick: () => choose(i) }, name));
  const choose = (chosen) => {
    panels.forEach((panel, i) => (panel.hidden = i !== chosen));
    buttons.forEach((button, i) => button.setAttribute("aria-selected", String(i === chosen)));
  };
  bar.append(...buttons);
  root.append(...panels);
  choose(0);
  return root;
}

function makeDivider(split) {
  const divider = split.querySelector(".divider");
  const set = (share) => split.style.setProperty("--view", `${Math.min(80, Math.max(25, share))}%`);
  divider.addEventListener("pointerdown", (event) => {
    divider.setPointerCapture(event.pointerId);
    const move = (moved) => set((100 * (moved.clientX - split.getBoundingClientRect().left)) / split.clientWidth);
    divider.addEventListener("pointermove", move);
    divider.addEventListener("pointerup", () => divider.removeEventListener("pointermove", move), { once: true });
  });
}

// ---- plots ----

function plotPanel(results, clock, events) {
  const list = element("div", { class: "plots" });
  const plots = new Plots(list, clock, results, events);
  const addPlot = chooser(results[0], (quantities, against) => plots.add({ title: plotTitle(quantities), mode: "plain", quantities, against }, list.firstChild).root.scrollIntoView({ block: "nearest" }));
  const whole = element("button", { type: "button", class: "quiet", hidden: true, onclick: () => plots.reset() }, "Show the whole time");
  plots.onZoom = (range) => (whole.hidden = !range);
  const root = element("div", { class: "panel plots-panel" }, element("div", { class: "plots-bar" }, element("button", { type: "button", onclick: addPlot }, icon("add"), "Add plot"), whole,
    element("span", { class: "faint hint" }, "click: go there \u00b7 drag: zoom \u00b7 double-click: all")), list);
  const open = () => {
    const usual = usualPlots(results[0]);
    for (const plot of usual) plots.add(plot);
    if (!usual.length) list.append(element("p", { class: "faint" }, "The result holds no curves, only one state; its numbers are in the summary."));
    return usual.length > 0;
  };
  return { root, plots, open };
}

function plotTitle(quantities) {
  const names = [...new Set(quantities.map((quantity) => quantity.channel.name))];
  const units = [...new Set(quantities.map((quantity) => unitText(quantity.unit)))].filter(Boolean);
  return names.length === 1 ? names[0] : names.length === 2 ? names.join(", ") : `${names.length} quantities${units.length === 1 ? ` [${units[0]}]` : ""}`;
}

// ---- view ----

function viewPanel(results, clock, events) {
  const host = element("div", { class: "view" });
  const first = results[0].motions[0] ?? null;
  const table = results[0].tables.find((listed) => !first || listed.name === first.table);
  const transport = new Transport(clock, first, table?.timeUnit ?? "", events);
  const root = element("section", { class: "left" }, host, transport.root);
  const panel = { root, transport, stage: null, open: () => {} };
  if (!first) {
    host.append(element("p", { class: "no-view" }, "Nothing moves in this result."));
    return panel;
  }
  panel.open = () => {
    try {
      panel.stage = new Stage(host, mechanismsOf(results));
    } catch (error) {
      host.append(element("p", { class: "no-view" }, `The 3-D view needs WebGL, which is not available here (${error.message}).`));
      return;
    }
    const main = panel.stage.mechanisms[0];
    const marks = events.length ? new EventMarks(events, { mark: main.mark, reach: main.size * 0.22, span: clock.span }) : null;
    if (marks) panel.stage.scene.add(marks.root);
    panel.marks = marks;
    const paths = pathsOf(results[0]);
    const fan = paths.length ? new Fan(paths, main.mark) : null;
    if (fan) panel.stage.scene.add(fan.root);
    panel.fan = fan;
    clock.onChange(() => (marks?.follow(clock.time), fan?.follow(clock.time), panel.stage.follow(clock.time)));
    marks?.follow(clock.time);
    fan?.follow(clock.time);
    panel.stage.follow(clock.time);
    host.append(viewButtons(panel.stage, root), showMenu(panel.stage, host, marks, fan), tooltip(panel.stage), element("span", { class: "scale faint" }, `grid ${Number(panel.stage.gridStep.toPrecision(3))} m`));
  };
  return panel;
}

const replayed = /^(collision|hybrid)$/; // tables of replays, which differ from the motion found

// The main motion; others (of the same result, such as a simulation beside an optimum, or of another) as ghosts.
function mechanismsOf(results) {
  const shown = (motions) => (results.length > 1 ? motions.slice(0, 1) : motions); // of several results only the first motions
  const all = results.flatMap(({ scene, motions, label }) => shown(motions).map((motion, m) => ({ scene, motion, name: m > 0 ? motion.table : label, ofSameResult: m > 0 && !replayed.test(motion.table) })));
  return all.map(({ scene, motion, ...words }, k) => new Mechanism(scene, motion, { ghost: k, ...words }));
}

function viewButtons(stage, root) {
  const view = (name, text, title) => element("button", { type: "button", title, onclick: () => stage.look(name) }, text);
  return element("div", { class: "view-buttons" }, iconButton("fit", "Fit (F)", () => stage.fit()), view("iso", "iso", "From a corner (I)"), view("x", "x", "Along x (X)"), view("y", "y", "Along y (Y)"), view("z", "z", "Along z (Z)"),
    iconButton("full", "Full screen", () => (document.fullscreenElement ? document.exitFullscreen() : root.requestFullscreen())));
}

function showMenu(stage, host, marks, fan) {
  const main = stage.mechanisms[0];
  const check = (text, shown, change) => {
    const box = element("input", { type: "checkbox", onchange: () => (change(box.checked), stage.draw()) });
    box.checked = shown;
    return element("label", {}, box, text);
  };
  const layer = (name) => (shown) => stage.mechanisms.forEach((mechanism) => (mechanism.layers[name].visible = shown));
  const showArrows = (group, shown) => ((main.arrows.layers[group].visible = shown), arrowNote.update(), stage.follow(main.time));
  const arrowNote = arrowScale(main, host);
  stage.follow(main.time);
  const labels = nameLabels(stage, host);
  const traces = traceList(stage, main, check);
  const parts = [check("Joints", true, layer("joints"))];
  if (main.layers.springs.children.length) parts.push(check("Springs and rods", true, layer("springs")));
  parts.push(...main.arrows.groups.map((group) => check(`${arrowGroups[group]}: arrows`, group !== "spring" || main.arrows.groups.length === 1, (shown) => showArrows(group, shown))));
  if (main.layers.surfaces.children.length) parts.push(check("Struck surfaces", true, layer("surfaces")));
  if (marks) parts.push(check("Contact events: marks", true, (shown) => (marks.root.visible = shown)));
  if (fan) parts.push(check(`Trajectories of ${fan.paths.length} samples`, true, (shown) => (fan.root.visible = shown)));
  const shadows = check("Shadows", true, (shown) => (stage.sun.castShadow = shown));
  stage.onShadowsOff = () => (shadows.querySelector("input").checked = false);
  parts.push(check("Floor", true, (shown) => (stage.floor.visible = shown)), shadows, check("Names", false, labels));
  const ghostNotes = element("div", { class: "ghost-notes faint" });
  host.append(ghostNotes);
  stage.mechanisms.slice(1).forEach((ghost) => parts.push(ghostPlace(stage, ghost, ghostNotes)));
  return element("details", { class: "show" }, element("summary", {}, icon("eye"), "Show"), element("div", { class: "menu" }, ...parts, beamColours(stage, host), ...(main.traceable().length ? [element("h4", {}, "Traces"), traces] : [])));
}

// Where another motion is drawn: over the first one, beside it, or not at all.
function ghostPlace(stage, ghost, host) {
  const places = { over: "over it", beside: "beside it", hidden: "not shown" };
  const select = element("select", { "aria-label": `Place of ${ghost.name}`, class: "ghost-place", onchange: () => place(select.value) },
    ...Object.entries(places).map(([value, text]) => element("option", { value }, text)));
  const swatch = element("span", { class: "ghost-swatch" });
  swatch.style.setProperty("--swatch", `#${ghost.colour.toString(16).padStart(6, "0")}`);
  const note = element("div", { class: "ghost-note" }, swatch, ghost.name);
  host.append(note);
  const place = (value, smooth = true) => {
    note.hidden = value === "hidden";
    stage.placeGhost(ghost, value, smooth);
  };
  // The same motion found twice stands beside itself; two that differ are laid over each other.
  select.value = ghost.ofSameResult ? "beside" : "over";
  place(select.value, false);
  return element("label", { class: "pick" }, `${capital(ghost.name)}: `, select);
}

// How long the longest arrows are.
function arrowScale({ arrows }, host) {
  const note = element("div", { class: "arrow-scale faint" });
  host.append(note);
  const update = () => {
    arrows.rescale();
    const texts = [["force", "N"], ["torque", "N m"]].filter(([kind]) => arrows.largest[kind] > 0).map(([kind, unit]) => `longest ${kind} ${numberText(arrows.largest[kind], 3)} ${unit}`);
    note.hidden = !texts.length;
    note.textContent = texts.join(", ");
  };
  if (arrows.groups.length > 1 && arrows.layers.spring) arrows.layers.spring.visible = false;
  update();
  return { update };
}

// What beams are coloured by, with its scale.
function beamColours(stage, host) {
  const beams = stage.mechanisms.filter((mechanism) => !mechanism.ghost).flatMap((mechanism) => mechanism.beams).filter((beam) => beam.stressed);
  if (!beams.length) return null;
  const scale = element("div", { class: "colour-scale", hidden: true });
  host.append(scale);
  const choose = (name) => {
    const resultant = resultants[name] ?? null;
    const most = resultant ? Math.max(...beams.map((beam) => beam.largest(resultant))) : 0;
    for (const beam of beams) beam.colourBy(resultant, most);
    scale.hidden = !resultant;
    if (resultant) {
      const stops = [0, 0.25, 0.5, 0.75, 1].map((share) => `#${scaleColour(resultant.signed, share).getHexString()}`);
      const bar = element("span", { class: "bar" });
      bar.style.background = `linear-gradient(to right, ${stops.join(", ")})`;
      scale.replaceChildren(element("span", {}, `${resultant.title} [${resultant.unit}]`), element("span", {}, numberText(resultant.signed ? -most : 0, 3)), bar, element("span", {}, numberText(most, 3)));
    }
    stage.follow(stage.mechanisms[0].time);
  };
  const select = element("select", { "aria-label": "Colour of beams", id: "beam-colour", onchange: () => choose(select.value) },
    element("option", { value: "" }, "their own colour"), ...Object.entries(resultants).map(([name, { title }]) => element("option", { value: name }, title)));
  return element("label", { class: "pick" }, "Beams: ", select);
}

function traceList(stage, main, check) {
  const all = main.traceable();
  const usual = all.every(({ name }) => main.nodes.find((node) => node.name === name).mover.kind === "point") && main.nodes.length <= 4;
  const shown = new Set();
  const show = (trace, on) => {
    if (on) shown.add(trace.key);
    else shown.delete(trace.key);
    stage.mechanisms.forEach((mechanism) => mechanism.nodes.some((node) => node.name === trace.name) && mechanism.showTrace(trace, on));
  };
  const list = element("div", { class: "traces" });
  const search = element("input", { type: "search", placeholder: "Filter", "aria-label": "Filter traces", oninput: () => fill() });
  const fill = () => {
    const found = all.filter(({ key }) => key.toLowerCase().includes(search.value.toLowerCase())).slice(0, 100);
    list.replaceChildren(...found.map((trace) => check(`${trace.name}: ${trace.point}`, shown.has(trace.key), (on) => show(trace, on))));
  };
  if (usual) all.filter(({ point }, i) => point === "centre" || (i === 0 && point === "origin" && !all.some((t) => t.point === "centre"))).forEach((trace) => show(trace, true));
  fill();
  return element("div", {}, all.length > 12 ? search : null, list);
}

function nameLabels(stage, host) {
  const layer = element("div", { class: "labels", hidden: true });
  const labels = stage.mechanisms[0].nodes.slice(0, 200).map(({ name, group }) => ({ group, text: layer.appendChild(element("span", {}, name)) }));
  host.append(layer);
  const at = new THREE.Vector3();
  stage.onRender = () => {
    if (layer.hidden) return;
    for (const { group, text } of labels) {
      const place = stage.project(at.setFromMatrixPosition(group.matrix));
      text.hidden = !place;
      if (place) text.style.transform = `translate(-50%, -50%) translate(${place.x.toFixed(1)}px, ${place.y.toFixed(1)}px)`;
    }
  };
  return (shown) => (layer.hidden = !shown);
}

// The name of what is under the pointer.
function tooltip(stage) {
  const tip = element("div", { class: "tip", hidden: true });
  stage.canvas.addEventListener("pointermove", (event) => {
    const info = event.buttons ? null : stage.pick(event);
    tip.hidden = !info;
    if (!info) return;
    tip.textContent = `${info.name} (${info.kind})`;
    tip.style.transform = `translate(${event.offsetX + 14}px, ${event.offsetY + 12}px)`;
  });
  stage.canvas.addEventListener("pointerleave", () => (tip.hidden = true));
  return tip;
}

// ---- keys ----

function listenToKeys(clock, view, help) {
  const { transport } = view;
  const actions = {
    " ": () => clock.toggle(),
    ArrowLeft: (event) => transport.step(event.shiftKey ? -10 : -1),
    ArrowRight: (event) => transport.step(event.shiftKey ? 10 : 1),
    Home: () => clock.seek(clock.start),
    End: () => clock.seek(clock.end),
    "+": () => transport.changeSpeed(1),
    "-": () => transport.changeSpeed(-1),
    l: () => transport.toggleLoop(),
    f: () => view.stage?.fit(),
    x: () => view.stage?.look("x"),
    y: () => view.stage?.look("y"),
    z: () => view.stage?.look("z"),
    i: () => view.stage?.look("iso"),
    t: () => toggleTheme(),
    "?": () => help.showModal(),
  };
  document.addEventListener("keydown", (event) => {
    const { target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (target.matches?.("input[type=search], select, textarea, pre")) return;
    const action = actions[event.key] ?? actions[event.key.toLowerCase?.()];
    if (!action) return;
    if (event.key === " " && target.matches?.("button, input[type=checkbox], summary") && target.id !== "play") return;
    event.preventDefault();
    action(event);
  });
}
