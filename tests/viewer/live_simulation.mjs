// Drags a link of a simulation with the mouse, moves its sliders, records. node live_simulation.mjs ADDRESS FOLDER [PICTURE]
import { join } from "node:path";
import { Browser, tools } from "./browser.mjs";

const [address, folder, picture] = process.argv.slice(2);
const browser = await Browser.start();
const page = await browser.open("about:blank", { width: 1280, height: 720 });
await page.load(address);
const { fail, ask, until, file, mouse } = tools(page, "live_simulation.mjs");
const slide = (id, value) => ask(`(() => { const s = document.getElementById("${id}"); s.value = ${value}; s.dispatchEvent(new Event("input")); })()`);

await until("Boolean(window.actioLive)", "the first state");
await until("window.actioLive.state.step > 50", "the motion");
const names = await ask("[...document.querySelectorAll('.slider span')].map((span) => span.textContent).join()");
if (names !== "g,lower_mass,friction,stiffness,shoulder [N m],elbow [N m]") fail(`sliders of ${names}`);

// a parameter under way: the motion goes on
const before = await ask("window.actioLive.state.t");
await slide("set-0", 1.6186);
await until("Math.abs(window.actioLive.state.parameters[0] - 1.6186) < 0.02", "the other gravity");
if (!((await ask("window.actioLive.state.t")) >= before)) fail("the motion began again");
await slide("input-0", 4);
await until("Math.abs(window.actioLive.state.inputs[0] - 4) < 0.05", "the torque");

// a value that is refused jumps back, also while the slider has the focus, and the page says why
await ask("document.getElementById('set-1').focus()");
const mass = await ask("window.actioLive.state.parameters[1]");
await slide("set-1", 0);
await until("/mass/.test(document.getElementById('note').textContent)", "the reason of the refusal");
await until(`Math.abs(Number(document.getElementById('set-1').value) - ${mass}) < 0.01 * ${mass}`, "the value before");
if ((await ask("document.activeElement.id")) !== "set-1") fail("the slider lost the focus");
if ((await ask("document.querySelector('#set-1').nextSibling.textContent")) !== String(mass)) fail("the number beside the slider is the refused one");

// a drag pulls the link to the pointer
const where = async (node) => ask(`(() => { const p = window.actioLive.project(window.actioLive.state.poses[${node}].slice(0, 3)); const r = document.querySelector("canvas.stage").getBoundingClientRect(); return { x: p.x + r.left, y: p.y + r.top }; })()`);
await ask("document.getElementById('play').click()");
await until("!window.actioLive.state.running", "the pause");
await new Promise((resolve) => setTimeout(resolve, 300));
const from = await where(1);
await mouse("mouseMoved", from, 0);
await mouse("mousePressed", from, 1);
await until("window.actioLive.state.grabbed", "the grip");
await ask("document.getElementById('play').click()");
for (let k = 1; k <= 15; ++k) await mouse("mouseMoved", { x: from.x + 3 * k, y: from.y - 5 * k }, 1);
await until("window.actioLive.state.force > 0", "a force");
const energy = await ask("window.actioLive.state.energy");
if (picture) {
  await new Promise((resolve) => setTimeout(resolve, 1500));
  await page.picture(picture);
}
await mouse("mouseReleased", { x: from.x + 45, y: from.y - 75 }, 0);
await until("!window.actioLive.state.grabbed", "the release");
const { residual } = await ask("window.actioLive.state");
if (!(residual < 1e-9)) fail(`the joints have a residual of ${residual}`);
await until("/from pointer to picture: mean [0-9.]+ ms/.test(document.getElementById('latency').textContent)", "the latency");
const latency = await ask("document.getElementById('latency').textContent");
await ask("document.getElementById('play').click()");
await until("!window.actioLive.state.running", "the pause");
await ask("document.getElementById('record-name').value = 'pulled'");
await ask("document.getElementById('record').click()");
await file(join(folder, "pulled.yaml"));
await ask("document.getElementById('reset').click()");
await until("window.actioLive.state.t < 1", "the start");
console.log(`${latency}; energy while pulled ${energy} J, residual of the joints ${residual}, lateness ${JSON.stringify((await ask("window.actioLive.state.late")).mean)} s`);
const errors = page.errors.filter((text) => !/GL Driver Message|status of 400/.test(String(text))); // the value that was refused
if (errors.length) fail(`errors of the page: ${errors.join("; ")}`);
await browser.close();
