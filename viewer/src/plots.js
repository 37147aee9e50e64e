// Plots that follow the clock.
import uPlot from "uplot";
import { nearestIndex } from "./data.js";
import { element, iconButton } from "./dom.js";
import { drawTicks } from "./events.js";
import { numberText, powerTexts, tickTexts, unitText, withUnit } from "./format.js";
import { pathOf, stretches } from "./path.js";
import { shortName } from "./quantities.js";
import { SketchCard } from "./sketch.js";
import { colour, curveColour, onTheme } from "./theme.js";

const modes = { plain: "values", change: "change since start", log: "absolute, logarithmic" };

const tiny = 1e-20; // as good as zero on a logarithmic axis

function transformed(quantity, mode) {
  const { values, first } = quantity;
  if (mode === "change") return Array.from(values, (v) => v - first);
  if (mode !== "log") return Array.from(values);
  let least = Infinity;
  for (const v of values) if (Math.abs(v) > tiny) least = Math.min(least, Math.abs(v));
  return Array.from(values, (v) => (least < Infinity ? Math.max(Math.abs(v), least) : null)); // zero has no place on this axis
}

function clipped(chart, draw) {
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  draw(ctx);
  ctx.restore();
}

const dashes = (curve, unstable) => (curve.dashed ? (unstable ? [2, 4] : [6, 4]) : unstable ? [6, 4] : []);

// A curve with its unstable stretches dashed; those of another result, which is dashed as it is, dotted.
function strokeCurve(chart, curve) {
  const { xs, ys } = curve;
  const { unstable } = pathOf(curve.quantity.table);
  clipped(chart, (ctx) => {
    ctx.strokeStyle = curveColour(curve.number);
    ctx.lineWidth = 1.6 * devicePixelRatio;
    ctx.lineJoin = "round";
    stretches(unstable, xs.length, (from, to, weak) => {
      ctx.beginPath();
      for (let k = from; k <= to; ++k) if (ys[k] !== null) ctx.lineTo(chart.valToPos(xs[k], "x", true), chart.valToPos(ys[k], "y", true));
      ctx.setLineDash(dashes(curve, weak).map((length) => length * devicePixelRatio));
      ctx.stroke();
    });
  });
  return null;
}

// Limit points and bifurcations: a mark on every curve, a word beside those of the first one.
function drawMarks(chart, curves) {
  const shown = curves.filter((curve) => curve.shown && pathOf(curve.quantity.table).marks.length > 0);
  const unit = devicePixelRatio;
  shown.forEach((curve, number) => clipped(chart, (ctx) => {
    const { xs, ys } = curve;
    ctx.fillStyle = colour("axis");
    ctx.font = `${12 * unit}px system-ui, sans-serif`;
    for (const { k, word } of pathOf(curve.quantity.table).marks) {
      if (ys[k] === null) continue;
      const height = (i) => chart.valToPos(ys[Math.min(Math.max(i, 0), ys.length - 1)], "y", true);
      const [x, y] = [chart.valToPos(xs[k], "x", true), height(k)];
      ctx.beginPath();
      for (const [a, b] of [[0, -5], [5, 0], [0, 5], [-5, 0]]) ctx.lineTo(x + a * unit, y + b * unit);
      ctx.fill();
      if (number > 0) continue;
      const { left, top, width, height: tall } = chart.bbox;
      const half = ctx.measureText(word).width / 2 + 2 * unit;
      const valley = (height(k - 3) + height(k + 3)) / 2 < y - unit;
      const under = y - top < 24 * unit || (valley && top + tall - y > 24 * unit);
      const place = [word, Math.min(Math.max(x, left + half), left + width - half), y + (under ? 19 : -10) * unit];
      ctx.textAlign = "center";
      ctx.lineWidth = 3 * unit; // a rim, so that it can be read on a curve
      ctx.strokeStyle = colour("panel");
      ctx.strokeText(...place);
      ctx.fillText(...place);
    }
  }));
}

export class Plots {
  constructor(host, clock, results, events = []) {
    this.host = host;
    this.clock = clock;
    this.results = results;
    this.events = events;
    this.cards = [];
    this.range = null; // of time, when zoomed
    clock.onChange(() => this.follow());
    onTheme(() => this.cards.forEach((card) => card.redress()));
  }

  add(plot, before = null) {
    const card = plot.sketch ? new SketchCard(this, plot) : plot.along ? new AlongCard(this, plot) : plot.against ? new PathCard(this, plot) : new PlotCard(this, plot);
    this.cards.push(card);
    this.host.insertBefore(card.root, before);
    card.draw();
    card.follow(this.clock.time);
    return card;
  }

  remove(card) {
    this.cards = this.cards.filter((other) => other !== card);
    card.close();
  }

  follow() {
    for (const card of this.cards) card.follow(this.clock.time);
  }

  // All plots show the same range of time.
  zoom(min, max) {
    const whole = min <= this.clock.start && max >= this.clock.end;
    this.range = whole ? null : [min, max];
    for (const card of this.cards) card.setRange(min, max);
    this.onZoom?.(this.range);
  }

  reset() {
    this.zoom(this.clock.start, this.clock.end);
  }

  // The same quantity in the other results, for comparison.
  counterparts(quantity) {
    return this.results.slice(1).map((result) => {
      const table = result.tables.find((t) => t.name === quantity.table.name);
      return table?.quantities.find((q) => q.name === quantity.name) ?? null;
    });
  }
}

class PlotCard {
  constructor(plots, { title, mode, quantities, more = 0 }) {
    this.plots = plots;
    this.mode = mode;
    this.title = title;
    this.curves = [];
    quantities.forEach((quantity, i) => {
      const name = shortName(quantity, quantities);
      this.curves.push({ quantity, name, number: i, dashed: false, shown: true });
      plots.counterparts(quantity).forEach((other, k) => {
        if (other) this.curves.push({ quantity: other, name: `${name} (${plots.results[k + 1].label})`, number: i, dashed: true, shown: true });
      });
    });
    this.body = element("div", { class: "plot-body" });
    this.legend = element("div", { class: "legend" });
    const select = element("select", { title: "What is drawn", "aria-label": `What is drawn of ${title}`, onchange: () => this.setMode(select.value) },
      ...Object.entries(modes).map(([value, text]) => element("option", { value, selected: value === mode }, text)));
    const notes = more > 0 ? element("span", { class: "faint" }, `${more} more under \u201cAdd plot\u201d`) : null;
    this.root = element("section", { class: "card plot", "aria-label": title },
      element("header", {}, element("h3", {}, title), notes, select, iconButton("close", "Remove this plot", () => plots.remove(this), { class: "icon small" })),
      this.body, this.legend);
    this.fillLegend();
    this.observer = new ResizeObserver(() => this.resize());
  }

  get unit() {
    return [...new Set(this.curves.map((curve) => unitText(curve.quantity.unit)))].filter(Boolean).join(", ");
  }

  fillLegend() {
    this.legend.replaceChildren(...this.curves.map((curve, i) => {
      curve.swatch = element("span", { class: curve.dashed ? "swatch dashed" : "swatch" });
      curve.readout = element("span", { class: "readout" });
      const entry = element("button", { type: "button", class: "entry", title: `${curve.quantity.name}: click to hide or show`, onclick: () => {
        curve.shown = !curve.shown;
        entry.classList.toggle("hidden", !curve.shown);
        this.chart.setSeries(i + 1, { show: curve.shown });
      } }, curve.swatch, element("span", { class: "name" }, curve.name), curve.readout);
      return entry;
    }));
    if (this.curves.some(({ quantity, dashed }) => !dashed && pathOf(quantity.table).unstable))
      this.legend.append(element("span", { class: "entry unstable" }, element("span", { class: "swatch dashed" }), element("span", { class: "name" }, "unstable")));
    this.dressLegend();
  }

  dressLegend() {
    for (const curve of this.curves) curve.swatch.style.setProperty("--swatch", curveColour(curve.number));
  }

  // ---- drawing ----

  data() {
    for (const curve of this.curves) {
      curve.xs = Array.from(curve.quantity.table.time);
      curve.ys = transformed(curve.quantity, this.mode);
    }
    const tables = this.curves.map(({ xs, ys }) => [xs, ys]);
    const joint = this.curves.every(({ quantity }) => quantity.table === this.curves[0].quantity.table);
    return joint ? [tables[0][0], ...tables.map((t) => t[1])] : uPlot.join(tables);
  }

  draw() {
    const { clock } = this.plots;
    this.chart?.destroy();
    this.chart = new uPlot(this.options(), this.data(), this.body);
    this.marker = element("div", { class: "time-marker" });
    this.chart.over.append(this.marker);
    let pressed = null;
    this.chart.over.addEventListener("mousedown", (event) => (pressed = event.clientX));
    this.chart.over.addEventListener("click", (event) => {
      if (pressed !== null && Math.abs(event.clientX - pressed) < 4) clock.seek(this.chart.posToVal(event.offsetX, "x"));
    });
    this.chart.over.addEventListener("dblclick", () => this.plots.reset());
    this.observer.observe(this.body);
    const [min, max] = this.plots.range ?? [clock.start, clock.end];
    this.setRange(min, max);
  }

  options() {
    const { clock } = this.plots;
    const log = this.mode === "log";
    const font = `${Math.max(11, parseFloat(getComputedStyle(document.body).fontSize) * 0.8)}px system-ui, sans-serif`;
    const axis = {
      stroke: () => colour("axis"), font, labelFont: font, grid: { stroke: () => colour("grid"), width: 1 }, ticks: { stroke: () => colour("grid"), width: 1, size: 5 }, gap: 4,
    };
    const label = log ? "absolute value" : this.mode === "change" ? "change" : "";
    return {
      width: Math.max(100, this.body.clientWidth), height: this.height(), padding: [8, 18, 0, 0],
      legend: { show: false },
      scales: {
        x: { time: false, auto: false, range: (chart, min, max) => (min === null || !(max > min) ? [clock.start - 0.5 * (clock.span === 0), clock.end + 0.5 * (clock.span === 0)] : [min, max]) },
        y: log ? { distr: 3, log: 10, range: decades } : { range: roomyRange },
      },
      axes: [
        { ...axis, label: timeLabel(this.curves[0].quantity.table), labelSize: 20, size: 26, space: 70, values: (chart, splits, i, space, step) => tickTexts(splits, step) },
        { ...axis, label: [label, this.unit ? `[${this.unit}]` : ""].join(" ").trim() || undefined, labelSize: 20, size: axisSize, space: log ? 20 : 24,
          ...(log ? { splits: (chart, number, min, max) => powersBetween(min, max), filter: (chart, splits) => splits } : {}),
          values: log ? (chart, splits) => powerTexts(splits) : (chart, splits, i, space, step) => tickTexts(splits, step) },
      ],
      series: [{}, ...this.curves.map((curve) => ({
        label: curve.name, show: curve.shown, stroke: () => curveColour(curve.number), width: 1.6, dash: curve.dashed ? [6, 4] : undefined, spanGaps: true, points: { show: false },
        ...(pathOf(curve.quantity.table).unstable ? { paths: (chart) => strokeCurve(chart, curve) } : {}),
      }))],
      cursor: {
        sync: { key: "actio" }, drag: { x: true, y: false, setScale: false }, y: false,
        points: { size: 7, width: 0, fill: (chart, i) => curveColour(this.curves[i - 1].number) },
      },
      hooks: {
        draw: [(chart) => drawMarks(chart, this.curves), (chart) => this.against || drawTicks(chart, this.plots.events)],
        setSelect: [(chart) => {
          if (chart.select.width < 5) return;
          const min = chart.posToVal(chart.select.left, "x");
          const max = chart.posToVal(chart.select.left + chart.select.width, "x");
          chart.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
          this.plots.zoom(min, max);
        }],
        setCursor: [(chart) => {
          const over = chart.cursor.left >= 0 ? chart.posToVal(chart.cursor.left, "x") : null;
          this.read(over ?? this.plots.clock.time);
        }],
      },
    };
  }

  height() {
    return Math.round(Math.min(300, Math.max(160, innerHeight * 0.24)));
  }

  setRange(min, max) {
    this.chart.setScale("x", { min, max });
    this.follow(this.plots.clock.time);
  }

  setMode(mode) {
    this.mode = mode;
    this.draw();
  }

  resize() {
    const width = this.body.clientWidth;
    if (width > 0 && (width !== this.chart.width || this.height() !== this.chart.height)) {
      this.chart.setSize({ width, height: this.height() });
      this.follow(this.plots.clock.time);
    }
  }

  redress() {
    this.dressLegend();
    this.chart.redraw(false, true);
  }

  // ---- time ----

  follow(time) {
    if (!this.chart) return;
    const left = this.chart.valToPos(time, "x");
    const inside = left >= -1 && left <= this.chart.over.clientWidth + 1;
    this.marker.style.transform = `translateX(${left}px)`;
    this.marker.style.visibility = inside ? "visible" : "hidden";
    if (!(this.chart.cursor.left >= 0)) this.read(time);
  }

  // The values of all curves at a time; written only when they change.
  read(time) {
    for (const curve of this.curves) {
      const { quantity } = curve;
      const raw = quantity.values[nearestIndex(quantity.table.time, time)];
      const value = this.mode === "change" ? raw - quantity.first : raw;
      const text = withUnitShort(value, quantity.unit);
      if (curve.text !== text) curve.readout.textContent = curve.text = text;
    }
  }

  close() {
    this.observer.disconnect();
    this.chart.destroy();
    this.root.remove();
  }
}

// Tables of motions have a time; those of load paths a number that grows along the path.
function timeLabel(table) {
  if (!table.timed) return "row";
  return table.timeUnit === "s" ? "time [s]" : withUnit("along the path", table.timeUnit);
}

function withUnitShort(value, unit) {
  const shown = unitText(unit);
  return shown ? `${numberText(value, 6)}\u202f${shown}` : numberText(value, 6);
}

// A little room above and below; never a range so small that rounding shows.
function roomyRange(chart, min, max) {
  if (min === null || max === null) return [0, 1];
  const size = Math.max(Math.abs(min), Math.abs(max));
  const span = Math.max(max - min, size * 1e-12, 1e-300);
  if (max - min === 0) return size === 0 ? [-1, 1] : [min - size * 0.1, max + size * 0.1];
  const middle = (min + max) / 2;
  return [middle - span * 0.56, middle + span * 0.56];
}

function decades(chart, min, max) {
  if (min === null || !(min > 0) || !(max > 0) || !Number.isFinite(max)) return [1e-1, 1];
  const low = Math.floor(Math.log10(min));
  const high = Math.ceil(Math.log10(max));
  return [10 ** low, 10 ** (high > low ? high : low + 1)];
}

// About seven powers of ten.
function powersBetween(min, max) {
  const low = Math.round(Math.log10(min));
  const high = Math.round(Math.log10(max));
  const step = Math.max(1, Math.ceil((high - low) / 7));
  return Array.from({ length: Math.floor((high - low) / step) + 1 }, (_, k) => 10 ** (low + k * step));
}

// As wide as its longest text.
function axisSize(chart, values, number, cycle) {
  const axis = chart.axes[number];
  if (cycle > 1) return axis._size;
  const longest = (values ?? []).reduce((best, text) => (text && text.length > best.length ? text : best), "");
  chart.ctx.font = axis.font[0];
  return Math.ceil(Math.max(54, 16 + chart.ctx.measureText(longest).width / devicePixelRatio));
}

// Quantities against another one: a path that may turn back, with a dot at the time that is shown.
class PathCard extends PlotCard {
  constructor(plots, plot) {
    super(plots, plot);
    this.against = plot.against;
    // of each curve the abscissa from its own result
    for (const curve of this.curves) {
      const same = (quantity) => quantity.table.name === this.against.table.name && quantity.name === this.against.name;
      curve.across = curve.quantity.table.quantities.find(same) ?? this.against;
      curve.dot = element("div", { class: "path-dot", hidden: !curve.quantity.table.timed });
    }
  }

  data() {
    for (const curve of this.curves) {
      curve.xs = Array.from(curve.across.values);
      curve.ys = transformed(curve.quantity, this.mode);
    }
    return [null, ...this.curves.map(({ xs, ys }) => [xs, ys])];
  }

  options() {
    const options = super.options();
    options.mode = 2;
    options.scales.x = { time: false, range: roomyRange };
    options.axes[0].label = withUnit(this.against.name, this.against.unit);
    options.cursor = { show: false };
    options.hooks = { draw: options.hooks.draw };
    options.series = [{}, ...this.curves.map((curve) => ({ label: curve.name, show: curve.shown, stroke: () => curveColour(curve.number), paths: (chart) => strokeCurve(chart, curve) }))];
    return options;
  }

  draw() {
    this.chart?.destroy();
    this.chart = new uPlot(this.options(), this.data(), this.body);
    this.marker = element("div", { class: "time-marker", hidden: true });
    this.chart.over.append(this.marker, ...this.curves.map((curve) => curve.dot));
    this.observer.observe(this.body);
  }

  setRange() {} // of time: not an axis here

  follow(given) {
    if (!this.chart) return;
    const { table } = this.against;
    const time = table.timed ? given : Infinity; // without a time: the last row
    for (const curve of this.curves) {
      const k = nearestIndex(curve.quantity.table.time, time);
      const value = curve.quantity.values[k];
      const shown = this.mode === "change" ? value - curve.quantity.first : this.mode === "log" ? Math.abs(value) : value;
      curve.dot.style.background = curveColour(curve.number);
      curve.dot.style.transform = `translate(${this.chart.valToPos(curve.across.values[k], "x")}px, ${this.chart.valToPos(shown, "y")}px)`;
    }
    this.read(time);
  }
}

// What a rod carries along its length: no time, so that the legend has the largest values.
class AlongCard extends PathCard {
  read() {
    for (const { quantity, readout } of this.curves) {
      const largest = quantity.values.reduce((best, value) => (Math.abs(value) > Math.abs(best) ? value : best), 0);
      const text = `largest ${withUnitShort(largest, quantity.unit)}`;
      if (readout.textContent !== text) readout.textContent = text;
    }
  }
}
