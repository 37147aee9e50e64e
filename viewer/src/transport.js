// The bar below the view: play, slider, time, speed.
import { speeds } from "./clock.js";
import { element, icon, iconButton } from "./dom.js";
import { tickStrip } from "./events.js";
import { timeText } from "./format.js";
import { indexAt } from "./data.js";

const fine = 100000; // parts of the slider

export class Transport {
  constructor(clock, motion, unit, events = []) {
    this.clock = clock;
    this.motion = motion;
    this.unit = unit === "1" ? "" : unit;
    this.play = iconButton("play", "Play or pause (space)", () => clock.toggle(), { class: "icon play", id: "play" });
    this.slider = element("input", { type: "range", id: "time", min: "0", max: String(fine), step: "1", value: "0", "aria-label": "Time", oninput: () => clock.seek(clock.start + (clock.span * Number(this.slider.value)) / fine) });
    this.readout = element("output", { class: "clock", for: "time" });
    this.loop = iconButton("loop", "Start again at the end (L)", () => this.toggleLoop(), { "aria-pressed": "true" });
    this.speed = element("select", { title: "Speed (+ and \u2212)", "aria-label": "Speed", onchange: () => (clock.speed = Number(this.speed.value)) },
      ...speeds.map((speed) => element("option", { value: String(speed), selected: speed === clock.speed }, `${speed}\u00d7`)));
    this.root = element("div", { class: "transport" },
      iconButton("start", "To the start (Home)", () => clock.seek(clock.start)),
      iconButton("back", "One frame back (\u2190)", () => this.step(-1)),
      this.play,
      iconButton("forward", "One frame on (\u2192)", () => this.step(1)),
      iconButton("end", "To the end (End)", () => clock.seek(clock.end)),
      element("div", { class: "track" }, this.slider, events.length ? tickStrip(events, clock) : null), this.readout, this.speed, this.loop);
    this.root.hidden = !(clock.span > 0); // a single state
    clock.onChange(() => this.follow());
    this.follow();
  }

  follow() {
    const { clock } = this;
    this.slider.value = clock.span > 0 ? String(Math.round(((clock.time - clock.start) / clock.span) * fine)) : "0";
    this.slider.style.setProperty("--done", `${clock.span > 0 ? (100 * (clock.time - clock.start)) / clock.span : 0}%`);
    const text = `${timeText(clock.time, clock.span)} / ${timeText(clock.end, clock.span)} ${this.unit}`;
    if (this.readout.textContent !== text) this.readout.textContent = text;
    if (this.shown !== clock.playing) {
      this.shown = clock.playing;
      this.play.replaceChildren(icon(clock.playing ? "pause" : "play"));
    }
  }

  // Moves by frames of the animation.
  step(frames) {
    const { clock, motion } = this;
    if (clock.playing) clock.toggle(false);
    if (!motion) return clock.seek(clock.time + (frames * clock.span) / 500);
    const last = motion.frames - 1;
    let frame = indexAt(motion.time, clock.time + clock.span * 1e-9);
    if (frames < 0 && clock.time > motion.time[frame] + clock.span * 1e-9) ++frame;
    clock.seek(motion.time[Math.max(0, Math.min(last, frame + frames))]);
  }

  toggleLoop() {
    this.clock.loop = !this.clock.loop;
    this.loop.setAttribute("aria-pressed", String(this.clock.loop));
  }

  changeSpeed(steps) {
    const at = speeds.indexOf(this.clock.speed);
    this.clock.speed = speeds[Math.max(0, Math.min(speeds.length - 1, at + steps))];
    this.speed.value = String(this.clock.speed);
  }
}
