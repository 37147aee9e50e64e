// What the table of a load path says besides: which stretches are unstable, where limit points and bifurcations are. As in
// src/show/plot/path.c: at an event an eigenvalue is zero and may have either sign, so that a stretch there is what its other end is.

const words = { 1: "limit", 2: "bifurcation" };
const nothing = { unstable: null, marks: [] };
const kept = new WeakMap();

function read(table) {
  const valuesOf = (name) => table.quantities.find((quantity) => quantity.name === name)?.values;
  const event = valuesOf("event");
  if (!event) return nothing;
  const negative = valuesOf("stability/negative");
  const marks = [];
  event.forEach((kind, k) => words[kind] && marks.push({ k, word: words[kind] }));
  if (!negative?.some((count) => count > 0)) return { unstable: null, marks };
  const is = (k) => negative[k] > 0;
  const unstable = Array.from(event, (kind, k) => {
    if (k + 1 >= event.length) return is(k);
    const [here, next] = [words[kind], words[event[k + 1]]];
    return here && !next ? is(k + 1) : next && !here ? is(k) : is(k) || is(k + 1);
  });
  return { unstable, marks };
}

export function pathOf(table) {
  if (!kept.has(table)) kept.set(table, read(table));
  return kept.get(table);
}

// Calls draw(from, to, unstable) for stretches of points that are drawn alike; neighbours share a point.
export function stretches(unstable, count, draw) {
  for (let from = 0, to; from + 1 < count; from = to) {
    for (to = from + 1; to + 1 < count && Boolean(unstable?.[to]) === Boolean(unstable?.[from]);) ++to;
    draw(from, to, Boolean(unstable?.[from]));
  }
}
