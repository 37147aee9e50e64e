// The pictures of the manual, made by the examples themselves: each is run, its report is opened in headless Chromium,
// and the view is taken at a telling moment.
//
//   node scripts/docs/pictures.mjs ACTIO [NAME...]       NAME as in `actio examples`, `page` or `plots`; all if none is given
//
// Writes docs/images/GROUP-NAME.png; page: docs/images/four-bar.png, the whole page, for the README; plots:
// docs/images/plot-NAME.svg by `actio plot`. With pngquant (Debian's package) the pictures become small.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Browser } from "../../tests/viewer/browser.mjs";

const source = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const images = join(source, "docs/images");

// What suits one example better than the rule: the moment (s, or a share of the whole), the view, traced points.
const special = {
  "control/crane": { share: 0.4, back: 1.15 },
  "control/satellite": { share: 0.5 },
  "control/pendulum-swing-up": { share: 0.7 },
  "flexible/three-bar-swing": { time: 1.1, view: "iso" },
  "flexible/three-bar-swing-stiff": { time: 0.4 },
  "linkages/four-bar": { time: 0.5, trace: ["coupler: centre"] },
  "linkages/six-body": { time: 0.12 },
  "linkages/walker": { time: 0.35, trace: ["shank: foot"], back: 1.45 },
  "pendulum/chain": { time: 0.9 },
  "pendulum/double-spherical": { time: 4 },
  "rigid/spatial-linkage": { time: 0.3, trace: ["coupler: centre"] },
  "rigid/tumbling-body": { time: 2.2, trace: ["racket: x+"] },
  "rods/hinged-frame": { share: 0.45, view: "z" },
};

// Plots: the example, what is set for the run, and the words behind `actio plot OUT`.
const plots = {
  energy: ["linkages/four-bar", ["simulate.duration=6"], ["energy/hamiltonian", "--change"]],
  slider: ["linkages/slider-crank", ["simulate.duration=2"], ["joint/guide/slide"]],
  torques: ["control/satellite", [], ["control/*"]],
  frame: ["rods/hinged-frame", [], ["load/factor"]],
};

const [command, ...wanted] = process.argv.slice(2);
if (!command) throw new Error("usage: node scripts/docs/pictures.mjs ACTIO [NAME...]");
const actio = resolve(command);
const environment = { ...process.env, ACTIO_DATA: source };
const call = (...words) => execFileSync(actio, words, { env: environment, encoding: "utf8" });

const folder = mkdtempSync(join(tmpdir(), "actio-pictures-"));
const asked = (name) => !wanted.length || wanted.includes(name);
const names = wanted.length ? wanted.filter((name) => name !== "page" && name !== "plots") : call("examples").split("\n").map((line) => line.trim().split(/\s+/)[0]).filter(Boolean);

function report(name) {
  const result = join(folder, "result.h5"), page = join(folder, `${name.replaceAll("/", "-")}.html`);
  const file = call("examples", name).trim();
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
  style.textContent = ".view { position: fixed !important; inset: 0; z-index: 99; width: 100vw; height: 100vh } .view-buttons, .show, .scale, .tip, .legend { display: none !important }";
  document.head.append(style);
})()`;

async function takeView(browser, name) {
  const { time, share = 0.3, view, trace = [], back = 1 } = special[name] ?? {};
  const page = await browser.open(report(name), { width: 640, height: 400, scale: 1.25 });
  await page.until("window.actio?.ready");
  await page.evaluate(alone);
  await page.frames(4);
  const moment = time ?? `actio.clock.start + ${share} * actio.clock.span`;
  const traces = `for (const trace of actio.stage.mechanisms[0].traceable()) if (${JSON.stringify(trace)}.includes(trace.name + ": " + trace.point)) actio.stage.mechanisms[0].showTrace(trace, true);`;
  await page.evaluate(`(() => { actio.stage.resize(); ${traces} actio.stage.look(${JSON.stringify(view ?? null)} ?? (actio.stage.flat ? "z" : "iso"), false); actio.clock.seek(${moment}); })()`);
  await page.frames(6);
  await page.evaluate(`(() => { const { camera, controls } = actio.stage; camera.position.sub(controls.target).multiplyScalar(${back}).add(controls.target); controls.update(); actio.stage.draw(); })()`);
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
  await shown.evaluate("actio.clock.seek(0.5)");
  await shown.frames(6);
  await shown.picture(file);
  shrink(file, 256);
  await shown.close();
  console.log(`${file.slice(source.length + 1)}  ${Math.round(statSync(file).size / 1024)} kB`);
}

function drawPlots() {
  for (const [name, [example, settings, words]] of Object.entries(plots)) {
    const result = join(folder, "plot.h5"), file = join(images, `plot-${name}.svg`);
    call("run", call("examples", example).trim(), "-q", "-o", result, ...settings.flatMap((text) => ["--set", text]));
    call("plot", result, ...words, "-o", file, "--width", "720", "--height", "300");
    console.log(`${file.slice(source.length + 1)}  ${Math.round(statSync(file).size / 1024)} kB`);
  }
}

if (asked("plots")) drawPlots();
const browser = await Browser.start();
try {
  if (asked("page")) await takePage(browser);
  for (const name of names) await takeView(browser, name);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
