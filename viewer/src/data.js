// The data of the page: what src/show/report/data.c wrote, as arrays.

function decode(text) {
  if (typeof Uint8Array.fromBase64 === "function") return Uint8Array.fromBase64(text);
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; ++i) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

// The index of the last entry that is not above `value` (0 when all are), in an array that increases.
export function indexAt(array, value) {
  let low = 0;
  let high = array.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (array[middle] <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

export function nearestIndex(array, value) {
  const i = indexAt(array, value);
  return i + 1 < array.length && array[i + 1] - value < value - array[i] ? i + 1 : i;
}

// What a component is called, as in src/result/channel_label.c: labels that hold at several places follow the number of the place.
function labelOf({ labels, width }, component) {
  const words = labels ? labels.split(" ") : [];
  if (words.length > 0 && width > words.length && width % words.length === 0) return `${Math.floor(component / words.length)}.${words[component % words.length]}`;
  return words[component] || String(component + 1);
}

// One curve: a component of a channel.
class Quantity {
  constructor(table, channel, component) {
    this.table = table;
    this.channel = channel;
    this.component = component;
    this.unit = channel.unit;
    this.label = channel.width > 1 ? labelOf(channel, component) : "";
    this.name = this.label ? `${channel.name}.${this.label}` : channel.name;
    this.key = `${table.name}|${this.name}`;
  }

  get first() {
    return this.channel.first[this.component];
  }

  get values() {
    if (!this.kept) {
      const { width, all } = this.channel;
      this.kept = new Float64Array(this.table.points);
      for (let i = 0, j = this.component; i < this.kept.length; ++i, j += width) this.kept[i] = all[j];
    }
    return this.kept;
  }
}

class Table {
  constructor(numbers, meta) {
    Object.assign(this, { name: meta.name, rows: meta.rows, shownRows: meta.shown_rows, bucket: meta.bucket, points: meta.points });
    this.quantities = [];
    this.channels = meta.channels;
    for (const channel of meta.channels) {
      channel.all = new Float64Array(numbers, channel.place, meta.points * channel.width);
      if (channel.name === "time" && channel.width === 1) {
        this.time = channel.all;
        this.timeUnit = channel.unit;
      } else for (let k = 0; k < channel.width; ++k) this.quantities.push(new Quantity(this, channel, k));
    }
    this.timed = Boolean(this.time);
    if (!this.time) this.time = Float64Array.from({ length: meta.points }, (_, i) => meta.first_row + Math.floor((i * meta.bucket) / (meta.bucket > 1 ? 2 : 1)));
  }

  // The same curves again and again, each time later by `span`.
  repeat(count, span) {
    const again = (x, shift) => Float64Array.from({ length: x.length * count }, (_, i) => x[i % x.length] + shift * Math.floor(i / x.length));
    for (const channel of this.channels) channel.all = again(channel.all, channel.all === this.time ? span : 0);
    this.time = again(this.time, span);
    this.points *= count;
  }
}

// Poses of bodies, points and beams over the frames of an animation.
class Motion {
  constructor(numbers, meta) {
    this.table = meta.table;
    this.frames = meta.frames;
    this.stride = meta.stride;
    this.shownRows = meta.shown_rows;
    this.timed = meta.timed;
    this.time = new Float64Array(numbers, meta.time, meta.frames);
    this.movers = meta.movers.map((mover) => {
      const size = mover.kind === "arrow" ? 6 : 7 * mover.places;
      const resultant = (place) => (place === undefined ? null : new Float32Array(numbers, place, meta.frames * 3 * mover.places));
      return { ...mover, size, poses: new Float32Array(numbers, mover.place, meta.frames * size), force: resultant(mover.force), moment: resultant(mover.moment) };
    });
    this.byName = new Map(this.movers.filter((m) => m.kind !== "arrow").map((m) => [m.name, m]));
    this.rough = findRough(this);
  }
}

// Between two frames poses are blended, unless some body turns so far that a blend would look wrong.
function findRough(motion) {
  const limit = Math.cos(0.3);
  const rough = new Uint8Array(motion.frames);
  for (const { kind, size, poses } of motion.movers) {
    if (kind !== "body" && kind !== "planar") continue;
    for (let f = 0; f + 1 < motion.frames; ++f) {
      const a = f * size + 3;
      const b = a + size;
      const dot = poses[a] * poses[b] + poses[a + 1] * poses[b + 1] + poses[a + 2] * poses[b + 2] + poses[a + 3] * poses[b + 3];
      if (Math.abs(dot) < limit) rough[f] = 1;
    }
  }
  return rough;
}

export function parseScene(text) {
  const empty = { gravity: [0, 0, 0], nodes: [], beams: [], joints: [], springs: [], ground: { points: {} } };
  try {
    return numbered({ ...empty, ...JSON.parse(text ?? "{}") });
  } catch {
    return empty;
  }
}

// Joints name nodes by their number in the system, where the nodes of beams count, too: those listed have the numbers
// that the beams leave, in order.
function numbered(scene) {
  const taken = new Set(scene.beams.flatMap(({ first_node: first, elements }) => Array.from({ length: elements + 1 }, (_, k) => first + k)));
  let number = 0;
  for (const node of scene.nodes) {
    while (taken.has(number)) ++number;
    node.number = number++;
  }
  return scene;
}

// Where a cycle is unrolled, that motion is shown, and its first cycle not beside it.
function arranged(motions) {
  const unrolled = motions.find(({ table }) => table === "unrolled");
  return unrolled ? [unrolled, ...motions.filter((motion) => motion !== unrolled && motion.table !== "nodes")] : motions;
}

// Where a cycle is unrolled, its curves are repeated for every cycle that is shown.
function repeatCycle(tables, motions) {
  const cycle = tables.find(({ name, timed }) => name === "nodes" && timed);
  const shown = motions[0]?.table === "unrolled" ? motions[0].time : null;
  const span = cycle && cycle.time.at(-1) - cycle.time[0];
  if (!shown || !(span > 0)) return;
  const count = Math.round((shown.at(-1) - shown[0]) / span);
  if (count > 1) for (const table of tables) if (table === cycle || (table.name === "intervals" && table.timed)) table.repeat(count, span);
}

export function loadData() {
  const meta = document.getElementById("actio-data");
  const block = document.getElementById("actio-numbers");
  if (!meta || !block) throw new Error("The page has no data in it.");
  const data = JSON.parse(meta.textContent);
  const numbers = decode(block.textContent.trim()).buffer;
  meta.remove();
  block.remove();
  const results = data.results.map((result) => ({
    label: result.label,
    texts: result.texts,
    summary: result.summary,
    leftOut: result.left_out,
    scene: parseScene(result.scene),
    tables: result.tables.map((table) => new Table(numbers, table)),
    motions: arranged(result.motions.map((motion) => new Motion(numbers, motion))),
  }));
  for (const { tables, motions } of results) repeatCycle(tables, motions);
  return { program: data.program, results, differences: data.differences ?? null };
}
