// Replays of a motion with phases: a row for each phase of each replay, found and replayed.
import { element } from "./dom.js";
import { numberText } from "./format.js";

const methods = ["collision", "hybrid"]; // as ac_replay_method in include/actio/replay.h

// The panel, or nothing where nothing was replayed.
export function replaysPanel({ tables }) {
  const table = tables.find(({ name }) => name === "replays");
  if (!table) return null;
  const column = (name) => table.quantities.find((quantity) => quantity.name === `replay/${name}`)?.values ?? new Float64Array(table.points);
  const columns = ["duration.found", "duration.replayed", "energy.found", "energy.replayed", "loss.found", "loss.replayed", "place_difference", "velocity_difference", "followed"].map(column);
  const heads = ["replay", "cycle", "phase", "ends [s]", "replayed", "energy [J]", "replayed", "lost [J]", "replayed", "places", "velocities", "followed [s]"];
  const [method, cycle, phase] = ["method", "cycle", "phase"].map(column);
  const number = (value, digits = 5) => element("td", { class: "number", title: String(value) }, numberText(value, digits));
  const rows = Array.from(method, (own, k) => element("tr", {}, element("td", { class: "name" }, methods[own] ?? ""), number(cycle[k] + 1), number(phase[k] + 1), ...columns.map((values) => number(values[k]))));
  const note = "The motion found under its own controls, without a controller: the collision integrator has its discrete equations, the hybrid reference the differential equations and continuous jumps. Places and velocities: largest differences of coordinates at the end. Small differences grow where the motion is unstable; followed: how long coordinates stay within 1 % of the typical length.";
  return element("div", { class: "panel" }, element("p", { class: "faint" }, note),
    element("table", { class: "numbers events" }, element("thead", {}, element("tr", {}, ...heads.map((text, k) => element("th", { class: k === 0 ? "" : "number" }, text)))), element("tbody", {}, ...rows)));
}
