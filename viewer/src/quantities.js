// Which curves are shown together without being asked for.
import { lengths } from "./beam.js";
import { capital, plain, unitText } from "./format.js";
import { sketched, sketches } from "./sketch.js";

const curvesPerPlot = 12;
const rodsShown = 6;

const known = [
  { title: "Tracking error", test: /^target\/.*\/(error|turn_error)$/, moving: true },
  { title: "Forces on tracked bodies", test: /^actuator\/.*\/(force|torque)$/, beside: /^target\//, moving: true },
  { title: "Targets", test: /^target\/.*\/position$/ },
  { title: "Controls", test: /^control\// },
  { title: "Energy", test: /^energy\/(hamiltonian|hamiltonian_projected|discrete|kinetic|potential|total)$/ },
  { title: "Energy, change since the start", test: /^energy\/(hamiltonian|hamiltonian_projected|discrete|total)$/, mode: "change" },
  { title: "Joint coordinates", test: /^joint\// },
  { title: "Loads", test: /^load\/.*\/(force|torque)$/ },
  { title: "Springs and dampers", test: /^spring\/.*\/(force|torque)$/ },
  { title: "Reactions of joints", test: /^reaction\/.*\/(force|torque)$/ },
  { title: "Linear momentum", test: /^momentum\/linear$/ },
  { title: "Angular momentum", test: /^momentum\/angular$/ },
  { title: "Residuals", test: /^residual\//, mode: "log" },
  { title: "Newton's method", test: /^newton\/iterations$/ },
];
const quiet = /^(energy|momentum|newton|residual|body|point|beam|multipliers|speed|event|stability|load|spring|control|actuator|reaction|joint|history|iteration|target|step|replay)(\/|$)/; // shown on request only

function byUnit(quantities) {
  const groups = new Map();
  for (const quantity of quantities) groups.set(quantity.unit, [...(groups.get(quantity.unit) ?? []), quantity]);
  return [...groups.values()];
}

function plotsOf({ title, test, mode, beside, moving }, all) {
  if (beside && !all.some((quantity) => beside.test(quantity.channel.name))) return [];
  const matching = all.filter((quantity) => test.test(quantity.channel.name));
  const units = new Set(matching.filter((quantity) => quantity.values.some((value) => value !== 0)).map((quantity) => quantity.unit));
  const found = moving ? matching.filter((quantity) => units.has(quantity.unit)) : matching; // what is not tracked is zero
  const groups = byUnit(found);
  return groups.map((quantities) => ({
    title: groups.length > 1 ? `${title} [${unitText(quantities[0].unit) || "1"}]` : title,
    mode: mode ?? "plain",
    quantities: quantities.slice(0, curvesPerPlot),
    more: Math.max(0, quantities.length - curvesPerPlot),
  }));
}

// The load of a structure against the coordinate that moves most.
function loadPaths(tables) {
  return tables.flatMap((table) => {
    const load = table.quantities.find((quantity) => quantity.channel.name === "load/factor");
    const moving = table.quantities.filter((quantity) => /\/position$/.test(quantity.channel.name));
    if (!load || !moving.length || table.points < 2) return [];
    const span = ({ values }) => values.reduce((most, value) => Math.max(most, Math.abs(value - values[0])), 0);
    const against = moving.reduce((best, quantity) => (span(quantity) > span(best) ? quantity : best));
    return span(against) > 0 ? [{ title: "Load path", mode: "plain", quantities: [load], against }] : [];
  });
}

// A single equilibrium has nothing to show over time, but its rods carry something along their length.
const resultantLabels = { force: ["shear 1", "shear 2", "axial"], moment: ["bending 1", "bending 2", "torsion"] };

function stressesAlong({ motions }) {
  if (!motions.length || motions[0].frames !== 1) return [];
  const rods = motions[0].movers.filter((mover) => mover.force && mover.moment).slice(0, rodsShown);
  return rods.flatMap((mover) => [["force", "N"], ["moment", "N m"]].map(([kind, unit]) => {
    const places = lengths(mover);
    const table = { name: `along ${mover.name}`, points: places.length, time: places, timed: false, quantities: [] };
    const named = (name, label, ofUnit, values) => ({ table, channel: { name }, label, unit: ofUnit, name: label ? `${name}.${label}` : name, title: name, values, first: values[0] });
    const against = named(`length along ${mover.name}`, "", "m", places);
    const quantities = resultantLabels[kind].map((label, k) => named(`beam/${mover.name}/node_${kind}`, label, unit, Float64Array.from(places, (_, i) => mover[kind][3 * i + k])));
    return { title: `${capital(kind)} along ${mover.name}`, mode: "plain", quantities, against, along: true };
  }));
}

// What falls to zero has a logarithmic axis; so has what falls over decades.
function historyMode({ name, values }) {
  if (/(violation|gradient|step|gap)$/.test(name)) return "log";
  const [least, most] = values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
  return least > 0 && most > 100 * least ? "log" : "plain";
}

// How a solver went, iteration by iteration: one plot for each number, against the iteration.
function histories(tables) {
  return tables.filter((table) => table.points > 1).flatMap((table) => {
    const against = table.quantities.find((quantity) => quantity.name === "iteration");
    if (!against) return [];
    const numbers = table.quantities.filter((quantity) => /^history\//.test(quantity.name));
    return numbers.map((quantity) => ({ title: `Solver: ${plain(quantity.name.slice("history/".length))}`, mode: historyMode(quantity), quantities: [quantity], against }));
  });
}

// A motion simulated again is drawn beside the first one; its curves are the same and are there on request.
const repeated = (table) => table.name === "resimulated";

// A scheme that keeps the energy of the nodes has its own; that of the intervals swings beside it and means nothing. Where the
// momenta of the nodes have forces of the joints in them the summary has the energy of the projected ones, which is that of the motion.
const ofMomenta = ["energy/hamiltonian", "energy/kinetic"];
function misleading({ texts, summary }, { name }) {
  const across = summary.some((number) => number.name === "energy_hamiltonian_projected_max");
  if (texts.scheme === "energy-momentum" && name === "energy/discrete") return true;
  return across ? ofMomenta.includes(name) : name === "energy/hamiltonian_projected";
}

// The plots that a page opens with: [{title, mode, quantities, more, against}].
export function usualPlots(result) {
  const tables = result.tables.filter((table) => table.points > 1 && table.timed && !repeated(table) && !sketched(table));
  const all = tables.flatMap((table) => table.quantities).filter((quantity) => !misleading(result, quantity.channel));
  const plots = [...sketches(result), ...stressesAlong(result), ...loadPaths(tables), ...known.flatMap((group) => plotsOf(group, all)), ...histories(result.tables)];
  const points = all.filter((quantity) => /^point\/.*\/position$/.test(quantity.channel.name));
  if (points.length > 0 && points.length <= curvesPerPlot) plots.splice(Math.min(2, plots.length), 0, { title: "Positions of the points", mode: "plain", quantities: points, more: 0 });
  const others = new Set(all.map((quantity) => quantity.channel.name.split("/")[0]).filter((group) => !quiet.test(group)));
  for (const group of others) {
    const test = { test: (name) => name === group || name.startsWith(`${group}/`) };
    plots.push(...plotsOf({ title: capital(plain(group)), test }, all));
  }
  return plots;
}

// A short name for a curve beside others with the same title.
export function shortName(quantity, quantities) {
  const parts = quantity.channel.name.split("/");
  const firsts = new Set(quantities.map((q) => q.channel.name.split("/")[0]));
  const lasts = new Set(quantities.map((q) => q.channel.name.split("/").at(-1)));
  const channels = new Set(quantities.map((q) => q.channel.name));
  let shown = parts;
  if (firsts.size === 1 && shown.length > 1) shown = shown.slice(1);
  if (lasts.size === 1 && shown.length > 1) shown = shown.slice(0, -1);
  if (channels.size === 1 && quantity.label) return quantity.label;
  return plain(shown.join(" ")) + (quantity.label ? ` ${quantity.label}` : "");
}
