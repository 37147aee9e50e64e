// The live page: a mechanism that moves in real time on the server, shown here and led by the pointer.
import * as THREE from "three";
import { parseScene } from "./data.js";
import { element, iconButton } from "./dom.js";
import { numberText } from "./format.js";
import { Mechanism } from "./mechanism.js";
import { Pointer } from "./pointer.js";
import { poseMatrix } from "./shapes.js";
import { standardViews, Stage } from "./stage.js";
import { startTheme, toggleTheme } from "./theme.js";
import { histogram, Traces } from "./traces.js";
import { Marks, trackingPanels } from "./tracking.js";

const base = location.pathname;
const client = Array.from(crypto.getRandomValues(new Uint8Array(8)), (b) => b.toString(16).padStart(2, "0")).join("");
const simulationCurves = [
  { key: "energy", title: "energy", unit: "J" },
  { key: "force", title: "force of the pull", unit: "N" },
  { key: "residual", title: "residual of the joints", unit: "1", log: true },
];
const curves = [
  { key: "error", title: "tracking error", unit: "m" },
  { key: "force", title: "force of the control", unit: "N" },
  { key: "residual", title: "residual of the joints", unit: "1", log: true },
  { key: "reaction", title: "largest joint force", unit: "N" },
  { key: "energy", title: "energy", unit: "J" },
];

let state = null;
let waiting = []; // commands on their way
let sending = false;
let fresh = null; // the newest place or turn of the pointer: a command
let freshAt = 0; // when it came
let mark = 0; // number of the last place that was sent
const onTheWay = new Map(); // numbers of places, and when the pointer was there

const note = element("span", { class: "faint", id: "note", role: "status" });
let refused = false; // a value: all inputs show again what the server has
let said = 0; // the timer of the note

// A message, which goes away by itself.
function say(text) {
  note.textContent = text;
  clearTimeout(said);
  said = setTimeout(() => (note.textContent = ""), 8000);
}

// Commands go out one message at a time; places that the pointer has left again are never sent.
async function flush() {
  if (sending) return;
  sending = true;
  while (waiting.length || fresh) {
    const lines = waiting;
    waiting = [];
    if (fresh) {
      onTheWay.set(++mark, freshAt);
      lines.push(fresh, `mark ${mark}`);
    }
    fresh = null;
    try {
      const answer = await fetch(`${base}do`, { method: "POST", body: [`client ${client}`, ...lines].join("\n") });
      const text = await answer.text();
      if (text !== "ok") say(text);
      refused ||= !answer.ok;
    } catch {
      say("the server does not answer");
    }
  }
  sending = false;
}

// Where the pointer is now.
function newest(command) {
  fresh = command;
  freshAt = performance.now();
  flush();
}

// A command that replaces an older one of its kind that has not left yet.
function latest(kind, line) {
  waiting = waiting.filter((other) => !other.startsWith(`${kind} `));
  waiting.push(line);
  flush();
}

function send(...lines) {
  const ends = lines[0] === "release" || lines[0] === "pin";
  if (fresh && ends) lines.unshift(fresh);
  if (ends) fresh = null;
  waiting.push(...lines);
  flush();
}

// Position and quaternion from position and rotation matrix.
function toPose([x, y, z, ...rotation]) {
  if (!rotation.length) return [x, y, z, 0, 0, 0, 1];
  const turn = new THREE.Quaternion().setFromRotationMatrix(poseMatrix({ position: [0, 0, 0], rotation }));
  return [x, y, z, ...turn.toArray()];
}

// What moves: nodes, and beams with all of theirs; `numbers` of their nodes. A point has no orientation.
function poseMovers(scene, poses) {
  const mover = (kind, name, numbers) => ({ kind, name, numbers, places: numbers.length, size: 7 * numbers.length, turned: poses[numbers[0]].length > 3,
    poses: Float64Array.from(numbers.flatMap((number) => toPose(poses[number]))) });
  return [...scene.nodes.map((node) => mover(node.kind, node.name, [node.number])),
    ...scene.beams.map((beam) => mover("beam", beam.name, Array.from({ length: beam.elements + 1 }, (_, k) => beam.first_node + k)))];
}

// The scene that is drawn now; a parameter may change it.
async function askScene() {
  return parseScene(await (await fetch(`${base}scene`)).text());
}

// ---- controls ----

// Parameters of the file and forces in joints: one slider each, which follows what the server has.
function sliderPanel(title, command, list, zero) {
  const rows = list.map(({ name, unit, value, low, high }, k) => {
    const shown = element("output", {}, numberText(value, 4));
    const slider = element("input", { type: "range", id: `${command}-${k}`, min: low, max: high, step: (high - low) / 1000, value, "aria-label": name, oninput: () => {
      shown.textContent = numberText(Number(slider.value), 4);
      latest(`${command} ${k}`, `${command} ${k} ${slider.value}`);
    } });
    const back = iconButton("close", zero ? "no force" : "the value of the file", () => ((slider.value = value), slider.dispatchEvent(new Event("input"))), { class: "icon small" });
    return { root: element("label", { class: "slider" }, element("span", {}, unit ? `${name} [${unit}]` : name), slider, shown, back), slider, shown };
  });
  const root = element("section", { class: "card settings sliders" }, element("header", {}, element("h3", {}, title)), ...rows.map((row) => row.root));
  return { root, show: (values) => rows.forEach(({ slider, shown }, k) => {
    if (document.activeElement === slider && !refused) return;
    slider.value = values[k];
    shown.textContent = numberText(values[k], 4);
  }) };
}

function recorder() {
  const name = element("input", { type: "text", id: "record-name", value: "session", size: 10, "aria-label": "name of the recording" });
  return [name, element("button", { type: "button", id: "record", title: "write a problem file that actio run replays", onclick: () => send(`record ${name.value}`) }, "Record")];
}

function transport() {
  const play = element("button", { type: "button", id: "play", class: "primary", onclick: () => send(state.running ? "pause" : "run") }, "Pause");
  const clock = element("span", { class: "clock", id: "clock" });
  return {
    bar: element("div", { class: "transport" }, play,
      element("button", { type: "button", id: "step", onclick: () => send("pause", "step 1") }, "Step"),
      element("button", { type: "button", id: "reset", onclick: () => send("reset") }, "Reset"), clock, element("span", { class: "gap" }), ...recorder()),
    show() {
      play.textContent = state.running ? "Pause" : "Run";
      clock.textContent = `${state.t.toFixed(2)} s`;
    },
  };
}

// ---- the page ----

async function build(first) {
  state = first;
  const scene = await askScene();
  const controls = await (await fetch(`${base}controls`)).json();
  const simulation = controls.task === "simulate";
  document.title = `${scene.title || "actio"} - live`;
  const mechanismOf = (drawn) => {
    const made = new Mechanism(drawn, { frames: 1, time: [0], rough: [0], movers: poseMovers(drawn, state.poses) });
    made.box.expandByScalar(0.2 * made.size); // room to be dragged about
    return made;
  };
  let mechanism = mechanismOf(scene);
  let drawn = state.scene ?? 0; // the number of the scene
  let asking = false;
  const view = element("div", { class: "view" });
  const bar = transport();
  const side = element("div", { class: "plots live" });
  const app = document.getElementById("app");
  app.append(
    element("div", { class: "top" }, element("h1", {}, scene.title || "live"), element("span", { class: "badge good", id: "badge" }, "live"), note, element("span", { class: "gap" }),
      iconButton("theme", "light or dark", toggleTheme)),
    element("div", { class: "split" },
      element("div", { class: "left" }, view, bar.bar), element("div", { class: "divider" }),
      element("div", { class: "side" }, element("div", { class: "panel" }, side))));
  const stage = new Stage(view, [mechanism]);
  const buttons = element("div", { class: "view-buttons" }, iconButton("fit", "show everything", () => stage.fit()),
    ...Object.entries(standardViews).map(([name, { title }]) => element("button", { type: "button", title, onclick: () => stage.look(name) }, name)));
  view.append(buttons);
  const pointer = new Pointer(stage, mechanism, {
    onGrab(node, place, point) {
      send(`grab ${node} ${place.x} ${place.y} ${place.z} ${point.x} ${point.y} ${point.z}`);
    },
    onHold: simulation ? null : (node) => send(`hold ${node}`),
    onMove: ({ x, y, z }) => newest(`move ${x} ${y} ${z}`),
    onTurn: ({ x, y, z }) => newest(`turn ${x} ${y} ${z}`),
    onRelease: (pins) => send(!simulation && (pins || tracking.keeps()) ? "pin" : "release"),
  });
  const sliders = simulation ? [["parameters", sliderPanel("parameters", "set", controls.parameters, false)], ["inputs", sliderPanel("forces in joints", "input", controls.inputs, true)]].filter(([key]) => controls[key].length) : [];
  const tracking = simulation ? null : trackingPanels(send, scene, controls);
  const marks = simulation ? null : new Marks(stage, mechanism.size);
  side.append(...(simulation ? sliders.map(([, panel]) => panel.root) : tracking.roots));
  const showLate = histogram(tracking?.roots[0] ?? side);
  const traces = new Traces(side, simulation ? simulationCurves : curves);
  const latencies = [];
  let slow = 0;
  const redraw = async () => {
    asking = true;
    drawn = state.scene;
    try {
      const next = mechanismOf(await askScene());
      stage.replace(mechanism, next);
      pointer.take(next);
      mechanism = next;
    } finally {
      asking = false;
    }
  };
  return (next) => {
    state = next;
    if (next.scene !== undefined && next.scene !== drawn && !asking) redraw();
    for (const mover of mechanism.motion.movers) mover.numbers.forEach((number, k) => mover.poses.set(toPose(next.poses[number]), 7 * k));
    mechanism.setAbsent(next.absent ?? []);
    mechanism.follow(0);
    pointer.draw();
    marks?.show(next.targets);
    stage.draw();
    traces.add(next);
    bar.show();
    for (const [key, panel] of sliders) panel.show(next[key]);
    if (next.message) say(next.message);
    for (const [number, begun] of onTheWay) { // from the pointer to the picture that knows of it
      if (number > next.mark) break;
      onTheWay.delete(number);
      requestAnimationFrame(() => setTimeout(() => latencies.push(performance.now() - begun))); // after it was painted
    }
    if (++slow % 5) return;
    traces.draw();
    tracking?.show(next, refused);
    refused = false;
    showLate(next, latencies);
    const writes = next.writer === "" || next.writer === client;
    if (!writes) say("another client has the controls");
    Object.assign(window, { actioLive: { state: next, client, latencies, stage, mechanism, project: (point) => stage.project(stage.centre.clone().set(...point)) } });
  };
}

startTheme();
const stream = new EventSource(`${base}stream`);
let show = null;
let building = false;
stream.onmessage = async ({ data }) => {
  const next = JSON.parse(data);
  if (show) show(next);
  else if (!building) {
    building = true;
    show = await build(next);
  }
};
stream.onerror = () => {
  const badge = document.getElementById("badge");
  if (badge) Object.assign(badge, { textContent: "not connected", className: "badge bad" });
};
stream.onopen = () => {
  const badge = document.getElementById("badge");
  if (badge) Object.assign(badge, { textContent: "live", className: "badge good" });
};
