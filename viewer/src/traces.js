// Small plots of the last seconds, which run along.
import uPlot from "uplot";
import { element } from "./dom.js";
import { numberText, unitText } from "./format.js";
import { colour, curveColour, onTheme } from "./theme.js";

const seconds = 10;

class Trace {
  constructor(host, { title, unit, log = false }, number) {
    this.log = log;
    this.number = number;
    this.unit = unit;
    this.times = [];
    this.values = [];
    this.readout = element("span", { class: "number" });
    this.body = element("div", { class: "plot-body" });
    host.append(element("section", { class: "card" }, element("header", {}, element("h3", {}, title), this.readout), this.body));
    onTheme(() => this.make());
    this.make();
    new ResizeObserver(() => this.chart.setSize({ width: this.body.clientWidth || 300, height: 110 })).observe(this.body);
  }

  make() {
    this.chart?.destroy();
    const axis = { stroke: colour("axis"), grid: { stroke: colour("grid"), width: 1 }, ticks: { show: false }, font: "11px system-ui" };
    this.chart = new uPlot({
      width: this.body.clientWidth || 300, height: 110, legend: { show: false }, cursor: { show: false },
      scales: { x: { time: false }, y: this.log ? { distr: 3 } : { range: (_, low, high) => [Math.min(0, low ?? 0), (high ?? 0) > 0 ? high * 1.1 : 1e-9] } },
      axes: [{ ...axis, size: 24 }, { ...axis, size: 58, values: (_, ticks) => ticks.map((v) => (v === null ? "" : numberText(v))) }],
      series: [{}, { stroke: curveColour(this.number), width: 1.6, points: { show: false } }],
    }, [this.times, this.values], this.body);
  }

  add(time, value) {
    if (this.times.length && time < this.times.at(-1)) this.times.length = this.values.length = 0; // reset
    if (this.times.length && time === this.times.at(-1)) return;
    this.times.push(time);
    this.values.push(this.log ? Math.max(Math.abs(value), 1e-16) : value);
    while (this.times.length > 2 && this.times[0] < time - seconds) {
      this.times.shift();
      this.values.shift();
    }
    this.readout.textContent = `${numberText(value)} ${unitText(this.unit)}`;
  }

  draw() {
    this.chart.setData([this.times, this.values]);
  }
}

export class Traces {
  constructor(host, list) {
    this.traces = new Map(list.map((entry, k) => [entry.key, new Trace(host, entry, k)]));
  }

  add(state) {
    for (const [key, trace] of this.traces) trace.add(state.t, state[key]);
  }

  draw() {
    for (const trace of this.traces.values()) trace.draw();
  }
}

// How late steps were: one bar per class, each twice as long as the one before.
export function histogram(host) {
  const canvas = element("canvas", { class: "histogram", width: 400, height: 90 });
  const words = element("div", { class: "faint" });
  const pointer = element("div", { class: "faint", id: "latency" });
  host.append(element("section", { class: "card" }, element("header", {}, element("h3", {}, "lateness of steps")), canvas, words, pointer));
  return ({ late, computing }, latencies) => {
    const context = canvas.getContext("2d");
    const top = Math.max(1, ...late.classes.map((n) => Math.log1p(n)));
    context.clearRect(0, 0, 400, 90);
    late.classes.forEach((n, k) => {
      const tall = (Math.log1p(n) / top) * 84;
      context.fillStyle = k > 13 ? colour("bad") : colour("accent"); // beyond about a millisecond
      context.fillRect(4 + k * 19.6, 88 - tall, 16, tall);
    });
    const micro = (x) => `${numberText(1e6 * x, 3)} µs`;
    words.textContent = `late: mean ${micro(late.mean)}, worst ${micro(late.worst)}, missed ${late.missed} of ${late.count}; computing: mean ${micro(computing.mean)}, worst ${micro(computing.worst)}`;
    if (!latencies.length) return;
    const mean = latencies.reduce((sum, x) => sum + x, 0) / latencies.length;
    pointer.textContent = `from pointer to picture: mean ${numberText(mean, 3)} ms, worst ${numberText(Math.max(...latencies), 3)} ms, ${latencies.length} moves`;
  };
}
