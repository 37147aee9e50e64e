// Which curves are shown together without being asked for.
import { capital, plain, unitText } from "./format.js";

const curvesPerPlot = 12;

const known = [
  { title: "Controls", test: /^control\// },
  { title: "Energy", test: /^energy\/(hamiltonian|discrete|kinetic|potential|total)$/ },
  { title: "Energy, change since the start", test: /^energy\/(hamiltonian|discrete|total)$/, mode: "change" },
  { title: "Joint coordinates", test: /^joint\// },
  { title: "Linear momentum", test: /^momentum\/linear$/ },
  { title: "Angular momentum", test: /^momentum\/angular$/ },
  { title: "Residuals", test: /^residual\//, mode: "log" },
  { title: "Newton's method", test: /^newton\/iterations$/ },
];
const quiet = /^(energy|momentum|newton|residual|body|point|beam|multipliers|speed|event|stability)(\/|$)/; // shown on request only

function byUnit(quantities) {
  const groups = new Map();
  for (const quantity of quantities) groups.set(quantity.unit, [...(groups.get(quantity.unit) ?? []), quantity]);
  return [...groups.values()];
}

function plotsOf({ title, test, mode }, all) {
  const found = all.filter((quantity) => test.test(quantity.channel.name));
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

// The plots that a page opens with: [{title, mode, quantities, more}].
export function usualPlots(result) {
  const all = result.tables.filter((table) => table.points > 1).flatMap((table) => table.quantities);
  const plots = [...loadPaths(result.tables), ...known.flatMap((group) => plotsOf(group, all))];
  const points = all.filter((quantity) => /^point\/.*\/position$/.test(quantity.channel.name));
  if (points.length > 0 && points.length <= curvesPerPlot) plots.splice(Math.min(2, plots.length), 0, { title: "Positions of the points", mode: "plain", quantities: points, more: 0 });
  const others = new Set(all.map((quantity) => quantity.channel.name.split("/")[0]).filter((group) => !quiet.test(group) && !["joint", "control"].includes(group)));
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
