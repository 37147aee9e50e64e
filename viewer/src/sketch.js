// Pictures of studies and certifications: a surrogate with its uncertainty and samples, a histogram with its threshold,
// diameters as bars, samples over two inputs, the course of a search, a fan of trajectories. They have axes of their own and do not follow the clock.
import uPlot from "uplot";
import { element, iconButton } from "./dom.js";
import { capital, numberText, plain, tickTexts } from "./format.js";
import { colour, curveColour } from "./theme.js";

const values = (table, name) => table?.quantities.find((quantity) => quantity.name === name)?.values;

// ---- what there is to show ----

function surrogates({ tables }) {
  const samples = tables.find((table) => table.name === "samples" && values(table, "sample/cost"));
  if (!samples) return [];
  const pictures = tables.filter((table) => table.name.startsWith("surrogate_")).map((table) => {
    const name = table.name.slice("surrogate_".length);
    const of = (ending) => values(table, `surrogate/${name}/${ending}`);
    return {
      title: `Cost over ${name}`, xLabel: name, yLabel: "cost", focus: [...of("cost"), ...values(samples, "sample/cost")],
      parts: [
        { kind: "band", name: "uncertainty", x: of("value"), low: of("low"), high: of("high"), number: 0 },
        { kind: "line", name: "surrogate", x: of("value"), y: of("cost"), number: 0 },
        { kind: "dots", name: "samples", x: values(samples, `design/${name}`), y: values(samples, "sample/cost"), number: 1 },
      ],
    };
  });
  const number = values(samples, "sample/number");
  const course = { title: "Cost of the samples", xLabel: "sample", yLabel: "cost", parts: [
    { kind: "dots", name: "cost", x: number, y: values(samples, "sample/cost"), number: 1 },
    { kind: "line", name: "least so far", x: number, y: values(samples, "sample/least"), number: 0 },
  ] };
  return [...pictures, course];
}

function histogram({ tables, summary }) {
  const table = tables.find((listed) => listed.name === "histogram");
  const threshold = summary.find((entry) => entry.name === "threshold");
  const mean = summary.find((entry) => entry.name === "mean");
  if (!table) return [];
  const marks = [threshold && { x: threshold.value, word: "threshold", number: 1 }, mean && { x: mean.value, word: "mean", number: 2 }].filter(Boolean);
  return [{ title: "Measure of the samples", xLabel: "measure", yLabel: "density", marks,
    parts: [{ kind: "area", name: "density", x: values(table, "histogram/measure"), y: values(table, "histogram/density"), number: 0 }] }];
}

function diameters({ tables }) {
  const table = tables.find((listed) => listed.name === "bars");
  if (!table) return [];
  const names = tables.find((listed) => listed.name === "diameters")?.quantities.map(({ name }, k) => `${k + 1} ${name.replace(/^diameter\//, "")}`) ?? [];
  return [{ title: "Diameters of the inputs", xLabel: names.length && names.length <= 6 ? `input: ${names.join(", ")}` : "input", yLabel: "diameter",
    parts: [{ kind: "area", name: "diameter", x: values(table, "bars/input"), y: values(table, "bars/diameter"), number: 0 }] }];
}

function fans({ tables }) {
  const table = tables.find((listed) => listed.name === "fan" && listed.timed);
  if (!table) return [];
  const sample = values(table, "fan/sample");
  const shown = table.quantities.filter((quantity) => quantity.name !== "fan/sample");
  return shown.map((quantity) => ({
    title: quantity.name === "fan/measure" ? "Measure along the trajectories" : `${capital(plain(quantity.name))} of the trajectories`, xLabel: "time [s]", yLabel: plain(quantity.name.replace(/^fan\//, "")),
    parts: [{ kind: "fan", name: `${new Set(sample).size} samples`, x: table.time, y: quantity.values, sample, number: 0 }],
  }));
}

// Two inputs of the samples, failures in another colour.
function scatter({ tables }) {
  const table = tables.find((listed) => listed.name === "scatter");
  if (!table) return [];
  const failure = values(table, "scatter/failure");
  const [a, b] = table.quantities.filter(({ name }) => name !== "scatter/failure");
  const chosen = (wanted, list) => Array.from(list).filter((_, k) => failure[k] > 0 === wanted);
  const part = (wanted, name, number) => ({ kind: "dots", name, x: chosen(wanted, a.values), y: chosen(wanted, b.values), number });
  return [{ title: "Samples over two inputs", xLabel: a.name.replace(/^scatter\//, ""), yLabel: b.name.replace(/^scatter\//, ""), parts: [part(false, "within the threshold", 0), part(true, "failure", 1)].filter(({ x }) => x.length) }];
}

// What a search for robust controls reached: the bound of a failure and its parts, one picture each.
function histories({ tables }) {
  const table = tables.find((listed) => listed.name === "history" && values(listed, "history/failure_bound"));
  if (!table) return [];
  const x = values(table, "history/iteration");
  const picture = (title, name, word, number) => ({ title, xLabel: "iteration", yLabel: word, parts: [{ kind: "line", name: word, x, y: values(table, `history/${name}`), number }] });
  const bound = picture("Failure bound over the iterations", "failure_bound", "failure bound", 0);
  return [bound, picture("Mean of the measure over the iterations", "mean", "mean", 1), picture("Diameter over the iterations", "diameter", "diameter", 2)];
}

function pareto({ tables }) {
  const table = tables.find((listed) => listed.name === "pareto");
  if (!table) return [];
  const [x, y] = [values(table, "pareto/effort"), values(table, "pareto/confidence_factor")];
  return [{ title: "Effort against confidence", xLabel: "effort", yLabel: "confidence factor", parts: [{ kind: "line", name: "efficient controls", x, y, number: 0 }, { kind: "dots", name: "weights", x, y, number: 1 }] }];
}

// [{title, parts, marks, xLabel, yLabel}]: pictures that a page opens with.
export const sketches = (result) => [surrogates, histories, histogram, diameters, scatter, pareto, fans].flatMap((of) => of(result)).map((sketch) => ({ sketch, title: sketch.title }));
// Tables that are shown so and no other way.
export const sketched = ({ name }) => ["fan", "paths", "histogram", "bars"].includes(name);

// ---- drawing ----

function path(ctx, chart, x, y, from = 0, to = x.length) {
  for (let k = from; k < to; ++k) ctx.lineTo(chart.valToPos(x[k], "x", true), chart.valToPos(y[k], "y", true));
}

const painters = {
  line(ctx, chart, { x, y }) {
    path(ctx, chart, x, y);
    ctx.stroke();
  },
  band(ctx, chart, { x, low, high }) {
    path(ctx, chart, x, low);
    for (let k = x.length - 1; k >= 0; --k) ctx.lineTo(chart.valToPos(x[k], "x", true), chart.valToPos(high[k], "y", true));
    ctx.globalAlpha = 0.18;
    ctx.fill();
  },
  area(ctx, chart, { x, y }) {
    path(ctx, chart, x, y);
    ctx.stroke();
    ctx.globalAlpha = 0.25;
    ctx.fill();
  },
  dots(ctx, chart, { x, y }) {
    const radius = 3.5 * devicePixelRatio;
    for (let k = 0; k < x.length; ++k) {
      const [left, top] = [chart.valToPos(x[k], "x", true), chart.valToPos(y[k], "y", true)];
      ctx.moveTo(left + radius, top);
      ctx.arc(left, top, radius, 0, 2 * Math.PI);
    }
    ctx.fill();
  },
  fan(ctx, chart, { x, y, sample }) {
    ctx.globalAlpha = 0.55;
    ctx.lineWidth = devicePixelRatio;
    for (let from = 0, k = 1; k <= x.length; ++k) {
      if (k < x.length && sample[k] === sample[from]) continue;
      ctx.beginPath();
      path(ctx, chart, x, y, from, k);
      ctx.stroke();
      from = k;
    }
  },
};

function paint(chart, part) {
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.strokeStyle = ctx.fillStyle = curveColour(part.number);
  ctx.lineWidth = 1.6 * devicePixelRatio;
  ctx.lineJoin = "round";
  ctx.beginPath();
  painters[part.kind](ctx, chart, part);
  ctx.restore();
}

// A vertical line with a word beside it.
function paintMark(chart, { x, word, number }, row) {
  const { ctx, bbox } = chart;
  const left = chart.valToPos(x, "x", true);
  const right = left > bbox.left + 0.7 * bbox.width;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = curveColour(number);
  ctx.lineWidth = 1.6 * devicePixelRatio;
  ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(left, bbox.top);
  ctx.lineTo(left, bbox.top + bbox.height);
  ctx.stroke();
  ctx.font = `${12 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textAlign = right ? "right" : "left";
  ctx.fillText(`${word} ${numberText(x, 4)}`, left + (right ? -5 : 5) * devicePixelRatio, bbox.top + (14 + 16 * row) * devicePixelRatio);
  ctx.restore();
}

function extent(lists) {
  let [min, max] = [Infinity, -Infinity];
  for (const list of lists) for (const value of list) [min, max] = [Math.min(min, value), Math.max(max, value)];
  if (!(min <= max)) return [0, 1];
  const room = max > min ? 0.06 * (max - min) : Math.max(1e-9, 0.1 * Math.abs(max));
  return [min - room, max + room];
}

export class SketchCard {
  constructor(plots, { sketch }) {
    this.sketch = sketch;
    this.against = true; // an axis of its own, not time
    this.body = element("div", { class: "plot-body" });
    this.swatches = sketch.parts.map(({ number }) => [element("span", { class: "swatch" }), number]);
    this.root = element("section", { class: "card plot sketch", "aria-label": sketch.title },
      element("header", {}, element("h3", {}, sketch.title), iconButton("close", "Remove this plot", () => plots.remove(this), { class: "icon small" })), this.body,
      element("div", { class: "legend" }, ...sketch.parts.map(({ name }, k) => element("span", { class: "entry" }, this.swatches[k][0], element("span", { class: "name" }, name)))));
    this.observer = new ResizeObserver(() => this.resize());
  }

  // What is in the picture: a band of uncertainty may be far larger than what it is about.
  ranges() {
    const { parts, marks = [], focus } = this.sketch;
    const heights = focus ? [focus] : parts.flatMap(({ y, low, high }) => [y, low, high]).filter(Boolean);
    return { x: extent([...parts.map(({ x }) => x), marks.map(({ x }) => x)]), y: extent(heights) };
  }

  draw() {
    const { parts, marks = [], xLabel, yLabel } = this.sketch;
    const { x, y } = this.ranges();
    const font = `${Math.max(11, parseFloat(getComputedStyle(document.body).fontSize) * 0.8)}px system-ui, sans-serif`;
    const axis = { stroke: () => colour("axis"), font, labelFont: font, grid: { stroke: () => colour("grid"), width: 1 }, ticks: { stroke: () => colour("grid"), width: 1, size: 5 }, gap: 4,
      labelSize: 20, values: (chart, splits, i, space, step) => tickTexts(splits, step) };
    this.chart = new uPlot({
      width: Math.max(100, this.body.clientWidth), height: this.height(), padding: [8, 18, 0, 0], mode: 2, legend: { show: false }, cursor: { show: false },
      scales: { x: { time: false, range: () => x }, y: { range: () => y } },
      axes: [{ ...axis, label: xLabel, size: 26, space: 70 }, { ...axis, label: yLabel, size: 64, space: 24 }],
      series: [{}, ...parts.map((part) => ({ paths: (chart) => (paint(chart, part), null), points: { show: false } }))],
      hooks: { draw: [(chart) => marks.forEach((mark, row) => paintMark(chart, mark, row))] },
    }, [null, ...parts.map((part) => [Array.from(part.x), Array.from(part.y ?? part.low)])], this.body);
    this.observer.observe(this.body);
    this.dress();
  }

  dress() {
    for (const [swatch, number] of this.swatches) swatch.style.setProperty("--swatch", curveColour(number));
  }

  height() {
    return Math.round(Math.min(300, Math.max(160, innerHeight * 0.24)));
  }

  resize() {
    const width = this.body.clientWidth;
    if (width > 0 && (width !== this.chart.width || this.height() !== this.chart.height)) this.chart.setSize({ width, height: this.height() });
  }

  redress() {
    this.dress();
    this.chart.redraw(false, true);
  }

  follow() {}

  setRange() {}

  close() {
    this.observer.disconnect();
    this.chart.destroy();
    this.root.remove();
  }
}
