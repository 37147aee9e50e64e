// Drags the hand of the arm with the mouse. node live.mjs ADDRESS FOLDER [PICTURE]
import { join } from "node:path";
import { Browser, tools } from "./browser.mjs";

const [address, folder, picture] = process.argv.slice(2);
const browser = await Browser.start();
const page = await browser.open("about:blank");
await page.load(address);
const { fail, ask, until, file, mouse } = tools(page, "live.mjs");
const alt = 1, ctrl = 2; // modifiers
const press = (id) => ask(`document.getElementById("${id}").click()`);

await until("Boolean(window.actioLive)", "the first state");
await until("window.actioLive.state.step > 200", "the motion");
// the target of the file leads the hand; the base is dragged
const where = async (node) => ask(`(() => { const p = window.actioLive.project(window.actioLive.state.poses[${node}].slice(0, 3)); const r = document.querySelector("canvas.stage").getBoundingClientRect(); return { x: p.x + r.left, y: p.y + r.top }; })()`);
const from = await where(0);
await mouse("mouseMoved", from, 0);
await mouse("mousePressed", from, 1);
await until("window.actioLive.state.grabbed", "the grip");
for (let k = 1; k <= 20; ++k) await mouse("mouseMoved", { x: from.x + 4 * k, y: from.y - 2 * k }, 1);
await until("window.actioLive.state.error > 0", "an error");
if (picture) {
  await new Promise((resolve) => setTimeout(resolve, 1500));
  await page.picture(picture);
}
const grip = { x: from.x + 80, y: from.y - 40 };
await mouse("mouseReleased", grip, 0);
await until("!window.actioLive.state.grabbed", "the release");
await ask(`(() => { const m = document.getElementById("method"); m.value = "exact"; m.dispatchEvent(new Event("change")); })()`);
await until("window.actioLive.state.method === 'exact'", "the other method");
if ((await ask("window.actioLive.state.rho0")) !== 1e-8) fail("another method changed the weight");
await press("suggest");
await until("Math.abs(window.actioLive.state.rho0 - 1e-8) > 1e-10", "the suggested weight");

// a weight that is refused jumps back, and the page says why
await ask(`(() => { const r = document.getElementById("rho0"); r.focus(); r.value = -1; r.dispatchEvent(new Event("change")); })()`);
await until("/weights are positive/.test(document.getElementById('note').textContent)", "the reason of the refusal");
await until("Number(document.getElementById('rho0').value) > 0", "the weight before");
await ask("document.activeElement.blur()");

// a target of the file is let go and followed again; what is let go with Ctrl is pinned, and the pin taken away; Alt turns
await press("follow-0");
await until("!window.actioLive.state.targets[0].followed", "the target that is let go");
await press("follow-0");
await until("window.actioLive.state.targets[0].followed", "the target that is followed again");
const drag = async (node, modifiers, end) => {
  const start = await where(node);
  await mouse("mouseMoved", start, 0, modifiers);
  await mouse("mousePressed", start, 1, modifiers);
  await until("window.actioLive.state.grabbed", "the grip");
  for (let k = 1; k <= 10; ++k) await mouse("mouseMoved", { x: start.x + 3 * k, y: start.y + k }, 1, modifiers);
  await mouse("mouseReleased", { x: start.x + 30, y: start.y + 10 }, 0, end);
};
await drag(0, 0, ctrl);
await until("!window.actioLive.state.grabbed && window.actioLive.state.targets.some((t) => !t.own)", "the pin");
await until("document.querySelectorAll('.pin').length === 1", "the pin in the list");
await ask(`document.querySelector(".pin button").click()`);
await until("window.actioLive.state.targets.every((t) => t.own)", "the end of the pin");
await drag(0, alt, alt);
await until("!window.actioLive.state.grabbed", "the end of the turn");
await ask(`document.querySelectorAll(".parts input")[document.querySelectorAll(".parts input").length - 1].click()`); // the last joint
await until("window.actioLive.state.open.length === 1", "the open joint");
await ask(`document.querySelectorAll(".parts input")[document.querySelectorAll(".parts input").length - 1].click()`);
await until("window.actioLive.state.open.length === 0", "the closed joint");
await press("play");
await until("!window.actioLive.state.running", "the pause");
const before = await ask("window.actioLive.state.step");
await press("step");
await until(`window.actioLive.state.step === ${before + 1}`, "the single step");
await ask(`document.getElementById("record-name").value = "dragged"`);
await press("record");
await file(join(folder, "dragged.yaml"));
const { events, counts, checksum } = await ask("({ events: window.actioLive.state.events, counts: window.actioLive.state.counts, checksum: window.actioLive.state.checksum })");
if (!(events > 3)) fail(`only ${events} events`);
if (counts.faults) fail("faults");
console.log(`events ${events}, state ${checksum}, from pointer to picture ${await ask("window.actioLive.latencies.map((x) => x.toFixed(1)).join(' ')")} ms`);
const errors = page.errors.filter((text) => !/GL Driver Message|status of 400/.test(String(text))); // of machines without a graphics card, and the weight that was refused
if (errors.length) fail(`errors of the page: ${errors.join("; ")}`);
await browser.close();
