// Drags the hand of the arm with the mouse. node live.mjs ADDRESS FOLDER [PICTURE]
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Browser, tools } from "./browser.mjs";

const [address, folder, picture] = process.argv.slice(2);
const browser = await Browser.start();
const page = await browser.open("about:blank");
await page.load(address);
const { fail, ask, until, mouse } = tools(page, "live.mjs");
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
await press("play");
await until("!window.actioLive.state.running", "the pause");
const before = await ask("window.actioLive.state.step");
await press("step");
await until(`window.actioLive.state.step === ${before + 1}`, "the single step");
await ask(`document.getElementById("record-name").value = "dragged"`);
await press("record");
for (let k = 0; k < 100 && !existsSync(join(folder, "dragged.yaml")); ++k) await new Promise((resolve) => setTimeout(resolve, 100));
if (!existsSync(join(folder, "dragged.yaml"))) fail("nothing was recorded");
const { events, counts, checksum } = await ask("({ events: window.actioLive.state.events, counts: window.actioLive.state.counts, checksum: window.actioLive.state.checksum })");
if (!(events > 3)) fail(`only ${events} events`);
if (counts.faults) fail("faults");
console.log(`events ${events}, state ${checksum}, from pointer to picture ${await ask("window.actioLive.latencies.map((x) => x.toFixed(1)).join(' ')")} ms`);
const errors = page.errors.filter((text) => !/GL Driver Message/.test(String(text))) // of machines without a graphics card;
if (errors.length) fail(`errors of the page: ${errors.join("; ")}`);
await browser.close();
