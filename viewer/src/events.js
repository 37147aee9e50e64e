// Events of contacts: a table of them, ticks in the plots and on the time bar, marks with the impulse in the view.
import * as THREE from "three";
import { indexAt } from "./data.js";
import { element } from "./dom.js";
import { numberText } from "./format.js";
import { colour } from "./theme.js";

const words = ["impact", "closes", "transfer", "rests", "opens"]; // as in src/task/contact_events.c
const ticksShown = 400;
const marksShown = 16;
const seenFor = 0.04; // of the whole time
const z = new THREE.Vector3(0, 0, 1);

// The events of a result, in the order of time.
export function eventsOf({ tables }) {
  const table = tables.find(({ quantities }) => quantities.some(({ channel }) => channel.name === "event/contact"));
  if (!table) return [];
  const names = [...new Set(tables.flatMap(({ quantities }) => quantities.map(({ channel }) => /^contact\/(.*)\/gap$/.exec(channel.name)?.[1]).filter(Boolean)))];
  const column = (name) => table.quantities.find((quantity) => quantity.name === name)?.values ?? new Float64Array(table.points);
  const triple = (name) => ["x", "y", "z"].map((axis) => column(`${name}.${axis}`));
  const at = ([x, y, w], k) => [x[k], y[k], w[k]];
  const numbers = { contact: column("event/contact"), kind: column("event/kind"), approach: column("event/approach"), separation: column("event/separation"), normalImpulse: column("event/normal_impulse"), before: column("event/energy_before"), after: column("event/energy_after"), loss: column("event/loss") };
  const [place, normal, impulse] = ["event/place", "event/normal", "event/impulse"].map(triple);
  return Array.from(table.time, (time, k) => {
    const own = Object.fromEntries(Object.entries(numbers).map(([name, values]) => [name, values[k]]));
    return { time, ...own, word: words[own.kind] ?? "", name: names[own.contact] ?? `contact ${own.contact}`, place: at(place, k), normal: at(normal, k), impulse: at(impulse, k), more: table.rows - table.points };
  });
}

// A row for each; a click goes to its time.
export function eventsPanel(events, clock) {
  const heads = ["time [s]", "contact", "event", "rate before", "rate after", "impulse", "lost [J]", "energy after [J]"];
  const number = (value, digits = 4) => element("td", { class: "number", title: String(value) }, numberText(value, digits));
  const rows = events.map((event) => element("tr", { tabindex: "0", onclick: () => clock.seek(event.time), onkeydown: ({ key }) => key === "Enter" && clock.seek(event.time) },
    number(event.time, 7), element("td", { class: "name" }, event.name), element("td", {}, event.word),
    number(event.approach), number(event.separation), number(event.normalImpulse), number(event.loss), number(event.after, 6)));
  const times = events.map(({ time }) => time);
  let shown = null;
  clock.onChange(() => {
    const now = clock.time >= times[0] ? rows[indexAt(times, clock.time)] : null;
    if (now === shown) return;
    shown?.classList.remove("now");
    now?.classList.add("now");
    shown = now;
  });
  const more = events[0].more > 0 ? `The first ${events.length} events; ${events[0].more} more are in the result file (actio export --table events).` : "";
  return element("div", { class: "panel" }, element("p", { class: "faint" }, `Rates of the gap in m/s (joint limits: rad/s), normal impulses in N s (N m s). Click a row to go there. ${more}`),
    element("table", { class: "numbers events" }, element("thead", {}, element("tr", {}, ...heads.map((text) => element("th", { class: text === "contact" || text === "event" ? "" : "number" }, text)))), element("tbody", {}, ...rows)));
}

// At most `ticksShown` different places out of many.
function thinned(events, span) {
  const places = new Set();
  return events.filter(({ time }) => {
    const place = Math.round((time / (span || 1)) * ticksShown);
    return !places.has(place) && places.add(place);
  });
}

// Short lines at the upper edge of a plot.
export function drawTicks(chart, events) {
  if (!events.length) return;
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.strokeStyle = colour("fair");
  ctx.lineWidth = devicePixelRatio;
  ctx.globalAlpha = 0.8;
  ctx.beginPath();
  for (const { time } of thinned(events, chart.scales.x.max - chart.scales.x.min)) {
    const x = Math.round(chart.valToPos(time, "x", true));
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + 7 * devicePixelRatio);
  }
  ctx.stroke();
  ctx.restore();
}

// The same below the time bar.
export function tickStrip(events, clock) {
  return element("div", { class: "ticks" }, ...thinned(events, clock.span).map((event) => {
    const tick = element("span", { title: `${event.name}: ${event.word}` });
    tick.style.left = `${(100 * (event.time - clock.start)) / (clock.span || 1)}%`;
    return tick;
  }));
}

// Rings where contacts have just closed or opened, with an arrow along the impulse; they fade.
export class EventMarks {
  constructor(events, { mark, reach, span }) {
    Object.assign(this, { events, reach, seen: seenFor * span });
    this.times = events.map(({ time }) => time);
    this.largest = Math.max(0, ...events.map(({ impulse }) => Math.hypot(...impulse)));
    this.thick = mark * 0.75;
    this.root = new THREE.Group();
    this.parts = Array.from({ length: Math.min(marksShown, events.length) }, () => this.make());
  }

  make() {
    const material = new THREE.MeshBasicMaterial({ color: 0xf08c00, depthTest: false, transparent: true });
    const mesh = (geometry) => {
      const made = new THREE.Mesh(geometry, material);
      made.renderOrder = 11;
      return made;
    };
    const ring = mesh(new THREE.TorusGeometry(1, 0.09, 10, 40));
    const shaft = mesh(new THREE.CylinderGeometry(1, 1, 1, 16).rotateX(Math.PI / 2).translate(0, 0, 0.5));
    const head = mesh(new THREE.ConeGeometry(1, 1, 20).rotateX(Math.PI / 2).translate(0, 0, -0.5));
    const arrow = new THREE.Group();
    const group = new THREE.Group();
    arrow.add(shaft, head);
    group.add(ring, arrow);
    this.root.add(group);
    return { group, ring, arrow, shaft, head, material };
  }

  follow(time) {
    const last = this.times.length && this.times[0] <= time ? indexAt(this.times, time) : -1;
    this.parts.forEach((part, i) => this.put(part, this.events[last - i], time));
  }

  put({ group, ring, arrow, shaft, head, material }, event, time) {
    const age = event ? (time - event.time) / this.seen : 1;
    group.visible = age < 1;
    if (!group.visible) return;
    const normal = new THREE.Vector3(...event.normal);
    const impulse = new THREE.Vector3(...event.impulse);
    const size = impulse.length();
    const length = this.largest > 0 ? (size / this.largest) * this.reach : 0;
    material.opacity = 1 - age;
    ring.userData.info = shaft.userData.info = head.userData.info = { kind: event.word, name: event.name };
    group.position.set(...event.place);
    ring.scale.setScalar(this.reach * (0.07 + 0.08 * age));
    if (normal.lengthSq() > 0) ring.quaternion.setFromUnitVectors(z, normal.normalize());
    arrow.visible = length > this.reach * 2e-3;
    if (!arrow.visible) return;
    const point = Math.min(length * 0.45, this.thick * 5.5);
    arrow.quaternion.setFromUnitVectors(z, impulse.divideScalar(size));
    const thick = Math.min(this.thick, length * 0.08);
    shaft.scale.set(thick, thick, length - point);
    head.scale.set(thick * 2.4, thick * 2.4, point);
    head.position.z = length;
  }
}
