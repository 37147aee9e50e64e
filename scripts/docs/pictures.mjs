// The pictures of the manual, made by the examples themselves: each is run, its report is opened in headless Chromium,
// and the view is taken at a telling moment.
//
//   node scripts/docs/pictures.mjs ACTIO [NAME...]       NAME as in `actio examples`, `page`, `compare`, `beams`, `door` or `plots`;
//                                                        all if none is given
//
// Writes docs/images/GROUP-NAME.png; page: docs/images/four-bar.png, the whole page, for the README; compare:
// docs/images/compare.png, the page of two results; beams: docs/images/beams-bending.png, in the colours of a stress
// resultant; door: docs/images/start-door.png, the file of docs/start.md; plots: docs/images/plot-NAME.svg by `actio plot`. With
// pngquant (Debian's package) the pictures become small.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Browser } from "../../tests/viewer/browser.mjs";

const source = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const images = join(source, "docs/images");

// What suits one example better than the rule: the moment (s, or a share of the whole), the view, traced points, how far away
// (back) and from where (at) it is seen, and whether another motion stands beside it (ghost).
const special = {
  "control/crane": { share: 0.3 },
  "control/satellite": { share: 0.12, ghost: true },
  "control/pendulum-swing-up": { share: 0.7 },
  "flexible/three-bar-swing": { time: 1.1, view: "iso" },
  "flexible/three-bar-swing-stiff": { time: 0.4 },
  "linkages/four-bar": { time: 0.5, trace: ["coupler: centre"] },
  "linkages/six-body": { time: 0.12, at: [0.05, 0.05, 0.03], back: 0.45 },
  "linkages/universal-joint": { time: 0.3 },
  "linkages/walker": { time: 0.35, trace: ["shank: foot"], back: 1.45 },
  "pendulum/chain": { time: 0.9, at: [-0.2, 0, -0.72], back: 0.62 },
  "pendulum/double-spherical": { time: 4 },
  "rigid/spatial-linkage": { time: 0.3, trace: ["coupler: centre"] },
  "rigid/tumbling-body": { time: 2.2, trace: ["racket: x+"] },
  "start/door": { time: 1.45, back: 1.15 },
  "rods/hinged-frame": { share: 0.45, view: "z" },
  "modes/wire": { time: 8, view: "iso" },
  "modes/flutter": { time: 0, view: "y" },
  "walking/compass-gait": { share: 0.45, view: "x" },
};

// Plots: the example, what is set for the run, and the words behind `actio plot OUT`.
const plots = {
  energy: ["linkages/four-bar", ["simulate.duration=6"], ["energy/hamiltonian", "--change"]],
  slider: ["linkages/slider-crank", ["simulate.duration=2"], ["joint/guide/slide"]],
  torques: ["control/satellite", [], ["control/*"]],
  frame: ["rods/hinged-frame", [], ["load/factor", "-x", "beam/beam/position.2.y"]],
  column: ["rods/column", [], ["load/factor", "-x", "beam/column/position.40.y"]],
  ball: ["contact/ball", ["simulate.duration=4", "simulate.record_every=10"], ["body/ball/position.z"]],
  certify: ["certify/pendulum", [], ["histogram/density", "-x", "histogram/measure"]],
  track: ["track/sphere", [], ["target/hand/position.z", "body/sphere/position.z", "--from", "0.5", "--to", "1"]],
  "soft-arm": ["control/soft-arm", [], ["control/*"]],
  viscous: ["flexible/viscous-strip", [], ["beam/strip/position.10.z"]],
  "balanced-arm": ["control/balanced-arm", [], ["control/torque"]],
  follow: ["control/follow", [], ["quantity/x", "quantity/path_x", "quantity/y", "quantity/path_y"]],
  shooting: ["control/adjoint-upswing", [], ["control/torque"]],
};

const [command, ...wanted] = process.argv.slice(2);
if (!command) throw new Error("usage: node scripts/docs/pictures.mjs ACTIO [NAME...]");
const actio = resolve(command);
const environment = { ...process.env, ACTIO_DATA: source };
const call = (...words) => execFileSync(actio, words, { env: environment, encoding: "utf8" });

const folder = mkdtempSync(join(tmpdir(), "actio-pictures-"));
const asked = (name) => !wanted.length || wanted.includes(name);
const names = wanted.length ? wanted.filter((name) => !["page", "compare", "beams", "door", "plots"].includes(name)) : call("examples").split("\n").map((line) => line.trim().split(/\s+/)[0]).filter(Boolean);

// The problem file of an example, or the one that a page of the manual shows.
function problemOf(name) {
  if (name !== "start/door") return call("examples", name).trim();
  const file = join(folder, "door.yaml"), text = readFileSync(join(source, "docs/start.md"), "utf8");
  writeFileSync(file, text.match(/```yaml\n(# door\.yaml\n[^]*?)```/)[1]);
  return file;
}

function report(name) {
  const result = join(folder, "result.h5"), page = join(folder, `${name.replaceAll("/", "-")}.html`);
  const file = problemOf(name);
  try {
    call("run", file, "-q", "-o", result);
  } catch {
    if (!existsSync(result)) throw new Error(`${name} could not be run`);
  }
  call("report", result, "-o", page);
  return page;
}

function shrink(file, colours) {
  try {
    execFileSync("pngquant", ["--force", "--strip", "--speed", "1", "--output", file, String(colours), file]);
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
  }
}

// The view alone fills the window.
const alone = `(() => {
  const style = document.createElement("style");
  style.textContent = ".view { position: fixed !important; inset: 0; z-index: 99; width: 100vw; height: 100vh } .view-buttons, .show, .scale, .tip, .legend, .ghost-notes, .arrow-scale { display: none !important }";
  document.head.append(style);
})()`;

async function takeView(browser, name) {
  const { time, share = 0.3, view, trace = [], back = 1, at, ghost = false } = special[name] ?? {};
  const page = await browser.open(report(name), { width: 640, height: 400, scale: 1.25 });
  await page.until("window.actio?.ready");
  await page.evaluate(alone);
  await page.frames(4);
  const moment = time ?? `actio.clock.start + ${share} * actio.clock.span`;
  const traces = `for (const trace of actio.stage.mechanisms[0].traceable()) if (${JSON.stringify(trace)}.includes(trace.name + ": " + trace.point)) actio.stage.mechanisms[0].showTrace(trace, true);`;
  // all pixels and shadows, however slow this machine is, and one motion only unless asked for
  await page.evaluate(`actio.stage.economy = 3; actio.stage.mechanisms.slice(1).forEach((ghost) => actio.stage.placeGhost(ghost, '${ghost ? "beside" : "hidden"}', false))`);
  await page.evaluate(`(() => { actio.stage.resize(); ${traces} actio.stage.look(${JSON.stringify(view ?? null)} ?? (actio.stage.flat ? "z" : "iso"), false); actio.clock.seek(${moment}); })()`);
  await page.frames(6);
  await page.evaluate(`(() => { const { camera, controls } = actio.stage; const way = camera.position.clone().sub(controls.target).multiplyScalar(${back}); controls.target.set(...(${JSON.stringify(at ?? null)} ?? controls.target.toArray())); camera.position.copy(controls.target).add(way); controls.update(); actio.stage.draw(); })()`);
  await page.frames(4);
  const file = join(images, `${name.replaceAll("/", "-")}.png`);
  await page.picture(file);
  shrink(file, 96);
  await page.close();
  console.log(`${file.slice(source.length + 1)}  ${Math.round(statSync(file).size / 1024)} kB`);
}

async function takePage(browser) {
  const result = join(folder, "four-bar.h5"), page = join(folder, "four-bar.html"), file = join(images, "four-bar.png");
  call("run", call("examples", "linkages/four-bar").trim(), "-q", "-o", result, "--set", "simulate.duration=10");
  call("report", result, "-o", page);
  const shown = await browser.open(page, { width: 1400, height: 800 });
  await shown.until("window.actio?.ready");
  await shown.evaluate("actio.stage.economy = 3; actio.clock.seek(0.5)");
  await shown.frames(6);
  await shown.picture(file);
  shrink(file, 256);
  await shown.close();
  console.log(`${file.slice(source.length + 1)}  ${Math.round(statSync(file).size / 1024)} kB`);
}

// Both motions, and the table of the differences.
async function takeCompare(browser) {
  const file = join(images, "compare.png"), page = join(folder, "compare.html");
  const results = ["midpoint", "energy-momentum"].map((scheme) => {
    const result = join(folder, `${scheme}.h5`);
    call("run", call("examples", "linkages/four-bar").trim(), "-q", "-o", result, "--set", "simulate.duration=5", "--set", `simulate.scheme=${scheme}`);
    return result;
  });
  call("compare", ...results, "-o", page);
  const shown = await browser.open(page, { width: 1200, height: 640 });
  await shown.until("window.actio?.ready");
  await shown.evaluate("actio.stage.economy = 3; actio.clock.seek(4.6); document.querySelectorAll('[role=tab]')[2].click()");
  await shown.frames(6);
  await shown.picture(file);
  shrink(file, 64);
  await shown.close();
  console.log(`${file.slice(source.length + 1)}  ${Math.round(statSync(file).size / 1024)} kB`);
}

// A beam in the colours of its bending moment, with the scale.
async function takeBeams(browser) {
  const file = join(images, "beams-bending.png");
  const shown = await browser.open(report("flexible/three-bar-swing"), { width: 640, height: 400, scale: 1.25 });
  await shown.until("window.actio?.ready");
  await shown.evaluate(alone);
  await shown.frames(4);
  await shown.evaluate(`(() => { actio.stage.economy = 3; actio.stage.resize(); actio.stage.look("iso", false);
    const { motion, beams } = actio.stage.mechanisms[0]; // the moment of the largest bending moment
    const { moment, stations } = beams[0].mover;
    let most = 0, frame = 0;
    for (let i = 0; i < moment.length; i += 3) if (Math.hypot(moment[i], moment[i + 1]) > most) [most, frame] = [Math.hypot(moment[i], moment[i + 1]), Math.floor(i / (3 * stations))];
    actio.clock.seek(motion.time[frame]);
    const { camera, controls } = actio.stage;
    camera.position.sub(controls.target).multiplyScalar(0.7).add(controls.target);
    controls.update();
    const select = document.getElementById("beam-colour"); select.value = "bending"; select.dispatchEvent(new Event("change")); })()`);
  await shown.frames(6);
  await shown.picture(file);
  shrink(file, 96);
  await shown.close();
  console.log(`${file.slice(source.length + 1)}  ${Math.round(statSync(file).size / 1024)} kB`);
}

// What examples/c/sweep_torque.c draws.
function drawSweep() {
  const results = [1, 2, 3].map((torque) => {
    const result = join(folder, `torque-${torque}.h5`);
    call("run", call("examples", "linkages/slider-crank").trim(), "-q", "-o", result, "--set", `parameters.torque=${torque}`, "--set", "simulate.duration=1");
    return result;
  });
  call("plot", results[0], "joint/guide/slide", ...results.slice(1).flatMap((result) => ["--with", result]), "-o", join(images, "plot-sweep.svg"), "--width", "720", "--height", "300");
  shorten(join(images, "plot-sweep.svg"));
}

// Hundredths of a point are enough for a page.
function shorten(file) {
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace(/\d+\.\d{3,}/g, (number) => String(Number(Number(number).toFixed(2)))));
}

function drawPlots() {
  drawSweep();
  for (const [name, [example, settings, words]] of Object.entries(plots)) {
    const result = join(folder, "plot.h5"), file = join(images, `plot-${name}.svg`);
    call("run", call("examples", example).trim(), "-q", "-o", result, ...settings.flatMap((text) => ["--set", text]));
    call("plot", result, ...words, "-o", file, "--width", "720", "--height", "300");
    shorten(file);
    console.log(`${file.slice(source.length + 1)}  ${Math.round(statSync(file).size / 1024)} kB`);
  }
}

if (asked("plots")) drawPlots();
const browser = await Browser.start();
try {
  if (asked("page")) await takePage(browser);
  if (asked("compare")) await takeCompare(browser);
  if (asked("beams")) await takeBeams(browser);
  if (asked("door")) await takeView(browser, "start/door");
  for (const name of names) await takeView(browser, name);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
