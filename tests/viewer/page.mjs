// The page in a browser: it draws, it moves, slider and plots go together, nothing is fetched, nothing is injected.
//
//   node page.mjs PAGE [PAGE...]        pictures are kept in the folder PICTURES, if that is set
import { basename, join } from "node:path";
import { Browser } from "./browser.mjs";

let failures = 0;
function check(condition, what) {
  if (condition) return;
  console.log(`FAIL: ${what}`);
  ++failures;
}

// The view as it is now: how many colours it has, and a number that changes with it.
const look = `(() => {
  const { stage } = actio;
  stage.render();
  const canvas = document.createElement("canvas");
  canvas.width = 320; canvas.height = 200;
  const context = canvas.getContext("2d");
  context.drawImage(stage.canvas, 0, 0, 320, 200);
  const pixels = context.getImageData(0, 0, 320, 200).data;
  const colours = new Set();
  let sum = 0;
  for (let i = 0; i < pixels.length; i += 4) {
    const value = (pixels[i] << 16) | (pixels[i + 1] << 8) | pixels[i + 2];
    colours.add(value);
    sum = (Math.imul(sum, 31) + value) | 0;
  }
  return { colours: colours.size, sum };
})()`;

// Where the cursor lines of all plots are, and where they should be.
const cursors = `actio.plots.cards.filter((card) => !card.against).map((card) => ({
  at: new DOMMatrix(getComputedStyle(card.marker).transform).e, wanted: card.chart.valToPos(actio.clock.time, "x"), shown: card.marker.style.visibility,
}))`;

const change = (selector, value) => `(() => { const s = document.querySelector(${JSON.stringify(selector)}); s.value = ${JSON.stringify(value)}; s.dispatchEvent(new Event("change")); return true; })()`;

// Forces and torques: arrows of one scale, which the menu hides and shows.
async function testArrows(page, name) {
  const groups = await page.evaluate("actio.stage.mechanisms[0].arrows.groups");
  const wanted = process.env.ARROWS?.split(" ").find((entry) => entry.startsWith(`${name}:`))?.split(":")[1].split(",") ?? [];
  check(groups.join() === wanted.join(), `${name}: arrows of ${groups} instead of ${wanted}`);
  if (!groups.length) return;
  const seen = `(() => { const { arrows, motion } = actio.stage.mechanisms[0]; const lengths = [];
    for (let f = 0; f < motion.frames; ++f) { arrows.follow(f); lengths.push(...arrows.shown.filter((part) => part.group.visible && !part.mover.torque).map((part) => part.head.position.z)); }
    actio.stage.follow(actio.clock.time); return [Math.max(0, ...lengths), arrows.reach, arrows.shown.some((part) => !part.mover.torque)]; })()`;
  const [longest, reach, forces] = await page.evaluate(seen);
  check(!forces || Math.abs(longest - reach) < 1e-4 * reach, `${name}: the longest arrow is ${longest} instead of ${reach}`);
  const boxes = await page.evaluate("[...document.querySelectorAll('.show label')].filter((label) => label.textContent.endsWith(': arrows')).map((label) => [label.textContent, label.querySelector('input').checked])");
  check(boxes.length === groups.length, `${name}: ${boxes.length} switches for ${groups.length} groups of arrows`);
  await page.evaluate("[...document.querySelectorAll('.show label')].filter((label) => label.textContent.endsWith(': arrows')).forEach((label) => label.querySelector('input').click())");
  const shown = await page.evaluate("Object.values(actio.stage.mechanisms[0].arrows.layers).map((layer) => layer.visible)");
  check(shown.every((is, i) => is !== boxes[i][1]), `${name}: the switches of the arrows do nothing`);
  for (const group of groups) { // the scale is that of the arrows which are seen
    await page.evaluate(`(() => { const { arrows } = actio.stage.mechanisms[0]; for (const name of arrows.groups) arrows.layers[name].visible = name === "${group}"; arrows.rescale(); })()`);
    const [alone, length, any] = await page.evaluate(seen);
    check(!any || Math.abs(alone - length) < 1e-4 * length, `${name}: with ${group} alone the longest arrow is ${alone} instead of ${length}`);
  }
}

// A single state: nothing to play, but what its rods carry along their length.
async function testRest(browser, file) {
  const page = await browser.open(file);
  await page.until("window.actio?.ready");
  await page.frames(4);
  check((await page.evaluate("actio.clock.span")) === 0, `${file}: not a single state`);
  check((await page.evaluate("document.querySelector('.transport').offsetHeight")) === 0, `${file}: a single state can be played`);
  const titles = await page.evaluate("[...document.querySelectorAll('.plot h3')].map((title) => title.textContent)");
  check(titles.join() === "Force along rod,Moment along rod", `${file}: plots of ${titles}`);
  // a rod of length 1 with a force across its end: the shear force is that everywhere, the moment grows to the clamp
  const [shear, bending, places] = await page.evaluate("(() => { const [force, moment] = actio.plots.cards; const most = (values) => Math.max(...values.map(Math.abs)); const of = (card, k) => [...card.curves[k].quantity.values]; return [most([...of(force, 0), ...of(force, 1)]), most([...of(moment, 0), ...of(moment, 1)]), [...force.against.values]]; })()");
  check(Math.abs(shear - 2) < 1e-3, `${file}: shear force ${shear}`);
  check(Math.abs(bending - 2) < 1e-4, `${file}: bending moment ${bending}`);
  check(places[0] === 0 && Math.abs(places.at(-1) - 1) < 1e-3, `${file}: places along the rod ${places}`);
  check(!page.errors.filter((text) => !text.includes("GL Driver")).length, `${file}: ${page.errors}`);
  await page.close();
}

// A load path: every plot along it has its unstable stretch dashed and a word at its two limit points.
async function testPath(browser, file) {
  const page = await browser.open(file);
  await page.until("window.actio?.ready");
  await page.frames(4);
  const drawn = await page.evaluate(`(async () => { const canvas = CanvasRenderingContext2D.prototype; const { fillText, setLineDash } = canvas; const seen = [];
    for (const card of actio.plots.cards) {
      const words = [], dashes = [];
      canvas.fillText = function (text, ...place) { words.push(text); fillText.call(this, text, ...place); };
      canvas.setLineDash = function (list) { dashes.push(list.length); setLineDash.call(this, list); };
      card.chart.redraw(true, true);
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      seen.push([card.title, words.filter((word) => word === "limit").length, dashes.filter(Boolean).length, card.curves.length, card.legend.querySelectorAll(".unstable").length]);
    }
    Object.assign(canvas, { fillText, setLineDash });
    return seen; })()`);
  check(drawn.length > 2 && drawn[0][0] === "Load path", `${file}: plots of ${drawn}`);
  for (const [title, limits, dashed, curves, named] of drawn) check(limits === 2 && dashed === curves && named === 1, `${file}: ${title} has ${limits} words, ${dashed} dashed stretches of ${curves} curves, ${named} names`);
  check(!page.errors.filter((text) => !text.includes("GL Driver")).length, `${file}: ${page.errors}`);
  await page.close();
}

// An optimised motion beside its re-simulation.
async function testGhost(page, name) {
  if (!(await page.evaluate("Boolean(document.querySelector('.ghost-place'))"))) return;
  const ghost = "actio.stage.mechanisms[1].root";
  check((await page.evaluate(`${ghost}.visible && ${ghost}.position.length() > 0`)) === true, `${name}: the second motion is not beside the first`);
  const gap = await page.evaluate("(() => { const [a, b] = actio.stage.mechanisms; const time = actio.clock.end; a.follow(time); b.follow(time); return Math.max(...a.nodes.map(({ group }, i) => group.matrix.elements.reduce((most, x, k) => Math.max(most, Math.abs(x - b.nodes[i].group.matrix.elements[k])), 0))); })()");
  check(gap < 1e-5, `${name}: the motion simulated again differs by ${gap}`);
  await page.evaluate(change(".ghost-place", "hidden"));
  check(!(await page.evaluate(`${ghost}.visible`)), `${name}: the second motion cannot be hidden`);
  await page.evaluate(change(".ghost-place", "over"));
  check((await page.evaluate(`${ghost}.visible && ${ghost}.position.length() === 0`)) === true, `${name}: the second motion is not over the first`);
}

// A body without solids is drawn as bars to its joints and its points, once each, and all of them are in the view.
async function testSticks(page, name) {
  if (name !== "plane.html") return;
  const [children, inside] = await page.evaluate(`(() => { const { nodes, box } = actio.stage.mechanisms[0];
    const { node, group } = nodes.find(({ name }) => name === "lower"); const foot = group.position.clone().fromArray(node.points.foot);
    return [group.children.length, box.containsPoint(foot.applyMatrix4(group.matrix))]; })()`);
  check(children === 3 && inside, `${name}: ${children} parts of a body without solids, its foot is ${inside ? "" : "not "}in the view`);
}

// Events of contacts: a row, a tick and a mark for each; a click on the row goes there.
async function testEvents(page, name) {
  const events = await page.evaluate("actio.marks?.events.length ?? 0");
  const rows = await page.evaluate("document.querySelectorAll('.events tbody tr').length");
  const ticks = await page.evaluate("document.querySelectorAll('.ticks span').length");
  check((events > 3) === (name === "bounce.html") && rows === events && ticks <= events && (ticks > 3) === (events > 3), `${name}: ${events} events, ${rows} rows, ${ticks} ticks`);
  if (!events) return;
  const said = await page.evaluate("[...document.querySelectorAll('.events tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent).slice(1, 3).join(' '))");
  check(said[0] === "floor impact" && said.at(-1) === "floor rests", `${name}: events ${said}`);
  await page.evaluate("document.querySelectorAll('.events tbody tr')[1].click()");
  const [time, wanted, seen, now] = await page.evaluate("[actio.clock.time, actio.marks.events[1].time, actio.marks.parts[0].group.visible && actio.marks.parts[0].arrow.visible, document.querySelectorAll('.events tr.now').length]");
  check(time === wanted && seen && now === 1, `${name}: a click on an event goes to ${time} instead of ${wanted}, mark ${seen}, ${now} rows marked`);
}

// The pointer names what is seen, and nothing that is hidden, itself or with what it is part of.
async function testHover(page, name) {
  const seen = (hide) => page.evaluate(`(() => { const { stage } = actio; const [{ root, layers, arrows }] = stage.mechanisms;
    const parts = [...Object.values(layers), ...Object.values(arrows.layers)]; const before = parts.map((part) => part.visible);
    parts.forEach((part) => (part.visible = ${!hide})); stage.render();
    const inside = new Set(); parts.forEach((part) => part.traverse((object) => object.userData.info && inside.add(object.userData.info)));
    const { left, top, width, height } = stage.canvas.getBoundingClientRect(); let hidden = 0, other = 0;
    const places = [...inside].length ? parts.flatMap((part) => { const list = []; part.traverse((object) => { if (object.userData.info) list.push(stage.project(object.getWorldPosition(stage.centre.clone()))); }); return list; }) : [];
    for (let x = 0; x <= 20; ++x) for (let y = 0; y <= 12; ++y) places.push({ x: (x * width) / 20, y: (y * height) / 12 });
    for (const place of places) { const info = place && stage.pick({ clientX: left + place.x, clientY: top + place.y }); if (info) inside.has(info) ? ++hidden : ++other; }
    parts.forEach((part, k) => (part.visible = before[k])); return [hidden, other]; })()`);
  const [shown, bodies] = await seen(false);
  const [hidden, others] = await seen(true);
  check((shown > 0 || name === "bounce.html") && hidden === 0 && others >= bodies && others > 0, `${name}: the pointer finds ${shown} joints and arrows, ${hidden} when they are hidden; ${bodies} and ${others} others`);
}

// A gait: every curve of its cycle is drawn, and read in the legend, for each step that is shown.
async function testGait(browser, file) {
  const page = await browser.open(file);
  await page.until("window.actio?.ready");
  await page.frames(4);
  const [steps, tables] = await page.evaluate(`(() => { const [result] = actio.plots.results; const span = actio.clock.span; const of = (name) => result.tables.find((table) => table.name === name);
    const cycle = of("nodes").rows; return [of("unrolled").rows / cycle, ["nodes", "intervals"].map((name) => { const table = of(name); return [table.points / table.rows, table.time.at(-1) / span]; })]; })()`);
  check(steps > 3 && tables.every(([times, reach]) => times === 4 && reach > 0.95 && reach <= 1 + 1e-9), `${file}: steps ${steps}, tables ${JSON.stringify(tables)}`);
  const legend = "(actio.plots.cards.filter((card) => card.curves?.every(({ quantity }) => ['nodes', 'intervals'].includes(quantity.table.name))).map((card) => card.legend?.textContent ?? '').join('|'))";
  const at = async (share) => page.evaluate(`(actio.clock.seek(actio.clock.start + ${share} * actio.clock.span), ${legend})`);
  const [first, third, later] = [await at(0.125), await at(0.625), await at(0.7)];
  check(first === third && first !== later, `${file}: the legends are ${first} in the first step, ${third} in the third, ${later} later`);
  const curves = await page.evaluate("actio.plots.cards.flatMap((card) => card.curves.map(({ quantity }) => [quantity.name, quantity.values.length === quantity.table.time.length, [...quantity.values].every((value, k, all) => value === all[k % quantity.table.rows] || quantity.table.name === 'unrolled')]))");
  check(curves.length > 1 && curves.every(([, whole, again]) => whole && again), `${file}: curves ${JSON.stringify(curves)}`);
  check(!page.errors.filter((text) => !text.includes("GL Driver")).length, `${file}: ${page.errors}`);
  await page.close();
}

// Beams in the colours of a stress resultant, with a legend.
async function testBeams(page, name) {
  if (!(await page.evaluate("Boolean(document.getElementById('beam-colour'))"))) return;
  const colours = "actio.stage.mechanisms[0].beams.map((beam) => [...beam.mesh.geometry.attributes.color.array.slice(0, 6)].join())";
  const before = await page.evaluate(colours);
  for (const resultant of ["axial", "shear", "torsion", "bending"]) {
    await page.evaluate(change("#beam-colour", resultant));
    const legend = await page.evaluate("[...document.querySelectorAll('.colour-scale')].map((scale) => [scale.hidden, scale.textContent])");
    check(legend.length === 1 && !legend[0][0] && legend[0][1].includes(resultant === "bending" || resultant === "torsion" ? "N m" : "[N]"), `${name}: legend of ${resultant}: ${legend}`);
  }
  check((await page.evaluate(colours)).some((row, i) => row !== before[i]), `${name}: beams do not change colour`);
  await page.evaluate(change("#beam-colour", ""));
}

// What a frame costs besides drawing it, which is the graphics card's work and here done by the processor: poses, cursors
// and read-outs; and how many frames a second there are when it is played.
async function testSmoothness(page, name) {
  const cost = await page.evaluate(`(() => { const { clock } = actio; const costs = [];
    for (let k = 0; k < 200; ++k) { const begun = performance.now(); clock.seek(clock.start + (k / 200) * clock.span); costs.push(performance.now() - begun); }
    return costs.sort((a, b) => a - b)[100]; })()`);
  await page.key(" ");
  const rate = await page.evaluate("new Promise((done) => { let n = 0; const begun = performance.now(); const next = () => { const t = performance.now() - begun; if (t > 2000) done((1000 * n) / t); else { ++n; requestAnimationFrame(next); } }; next(); })");
  await page.key(" ");
  console.log(`${name}: ${cost.toFixed(2)} ms per frame besides drawing, ${rate.toFixed(0)} frames per second drawn in software`);
  check(cost < 8, `${name}: a frame takes ${cost} ms`);
}

// How it ended: a remark is beside the title and, in full, in the summary, to which a click leads.
async function testBadge(page, name) {
  const badge = await page.evaluate("(() => { const { className, textContent, title } = document.querySelector('.top .badge'); return [className, textContent, title]; })()");
  const remarks = await page.evaluate("[...document.querySelectorAll('.panel .remark')].map((remark) => remark.textContent)");
  if (name !== "remark.html") {
    check(badge.join() === "badge good,solved,solved" && !remarks.length, `${name}: badge ${badge}, remarks ${remarks}`);
    const notes = await page.evaluate("[...document.querySelectorAll('.panel > .notes')].map((note) => note.textContent).join()");
    check(name !== "control.html" || notes.includes("local optimum"), `${name}: the verdict is not told, notes ${notes}`);
    return;
  }
  check(badge[0] === "badge fair" && badge[1] === "solved, with a remark", `${name}: badge ${badge}`);
  check(remarks.length === 1 && remarks[0].includes("that no load gives") && remarks[0] === badge[2], `${name}: remarks ${remarks}, title ${badge[2]}`);
  await page.evaluate("document.querySelector('.top .badge').click()");
  check((await page.evaluate("document.querySelector('.panel .remark').offsetHeight")) > 0, `${name}: the badge does not lead to the remark`);
  await page.evaluate("document.querySelector('[role=tab]').click()");
}

// The energy of intervals is drawn with the variational schemes; with energy-momentum it is there on request only.
async function testEnergies(page, name) {
  const drawn = await page.evaluate("actio.plots.cards.filter((card) => card.title.startsWith('Energy')).map((card) => card.curves.map(({ quantity }) => quantity.name).join())");
  const there = await page.evaluate("actio.plots.results[0].tables.some((table) => table.quantities.some(({ name }) => name === 'energy/discrete'))");
  const wanted = { "hostile.html": true, "plane.html": true, "remark.html": true, "beams.html": false }[name];
  if (wanted === undefined) return;
  check(there && drawn.length === 2 && drawn.every((curves) => curves.includes("energy/hamiltonian") && curves.includes("energy/discrete") === wanted), `${name}: energies ${drawn.join("; ")}`);
}

async function testPage(browser, file) {
  const page = await browser.open(file);
  await page.until("window.actio?.ready");
  await page.frames();
  const name = basename(file);

  const first = await page.evaluate(look);
  check(first.colours > 20, `${name}: the view has ${first.colours} colours`);
  check((await page.evaluate("document.querySelectorAll('.plot canvas').length")) > 2, `${name}: plots are missing`);

  // the slider
  const slider = await page.evaluate("(() => { const r = document.getElementById('time').getBoundingClientRect(); return { x: r.x, y: r.y + r.height / 2, w: r.width }; })()");
  await page.mouse("mousePressed", slider.x + slider.w * 0.6, slider.y);
  await page.mouse("mouseReleased", slider.x + slider.w * 0.6, slider.y);
  await page.frames();
  const share = await page.evaluate("(actio.clock.time - actio.clock.start) / actio.clock.span");
  check(Math.abs(share - 0.6) < 0.03, `${name}: the slider at 0.6 gives ${share}`);
  for (const cursor of await page.evaluate(cursors)) check(Math.abs(cursor.at - cursor.wanted) < 1 && cursor.shown === "visible", `${name}: cursor at ${cursor.at} instead of ${cursor.wanted}`);
  const second = await page.evaluate(look);
  check(second.sum !== first.sum, `${name}: the view does not follow the slider`);

  // playing, by the space key
  const before = await page.evaluate("actio.clock.time");
  await page.key(" ");
  await page.until(`actio.clock.time !== ${before}`);
  await page.frames(10);
  const third = await page.evaluate(look);
  await page.key(" ");
  check(third.sum !== second.sum, `${name}: nothing moves when played`);
  check(!(await page.evaluate("actio.clock.playing")), `${name}: space does not stop it`);

  // other keys
  await page.key("Home");
  check((await page.evaluate("actio.clock.time === actio.clock.start")), `${name}: Home`);
  await page.key("ArrowRight");
  check(await page.evaluate("actio.clock.time === actio.stage.mechanisms[0].motion.time[1]"), `${name}: right arrow`);
  await page.key("End");
  check(await page.evaluate("actio.clock.time === actio.clock.end"), `${name}: End`);
  for (const view of ["x", "y", "z", "i", "f"]) await page.key(view);

  // a click in a plot goes there, a drag zooms in on all, a double click shows everything again
  const over = await page.evaluate("(() => { const r = actio.plots.cards[0].chart.over.getBoundingClientRect(); return { x: r.x, y: r.y + r.height / 2, w: r.width }; })()");
  await page.mouse("mouseMoved", over.x + over.w * 0.25, over.y);
  await page.mouse("mousePressed", over.x + over.w * 0.25, over.y);
  await page.mouse("mouseReleased", over.x + over.w * 0.25, over.y);
  await page.frames();
  const clicked = await page.evaluate("(actio.clock.time - actio.clock.start) / actio.clock.span");
  check(Math.abs(clicked - 0.25) < 0.02, `${name}: a click at 0.25 gives ${clicked}`);
  await page.mouse("mousePressed", over.x + over.w * 0.2, over.y);
  await page.mouse("mouseMoved", over.x + over.w * 0.5, over.y);
  await page.mouse("mouseMoved", over.x + over.w * 0.6, over.y);
  await page.mouse("mouseReleased", over.x + over.w * 0.6, over.y);
  await page.frames();
  const ranges = await page.evaluate("actio.plots.cards.filter((card) => !card.against).map((card) => (card.chart.scales.x.max - card.chart.scales.x.min) / actio.clock.span)");
  check(ranges.every((range) => Math.abs(range - 0.4) < 0.03), `${name}: zoom gives ${ranges}`);
  await page.evaluate("actio.plots.reset()");

  await testBadge(page, name);
  await testEnergies(page, name);
  await testArrows(page, name);
  await testGhost(page, name);
  await testBeams(page, name);
  await testEvents(page, name);
  await testSticks(page, name);
  await testHover(page, name);

  // light and dark
  const light = await page.evaluate("getComputedStyle(document.body).backgroundColor");
  await page.key("t");
  check((await page.evaluate("getComputedStyle(document.body).backgroundColor")) !== light, `${name}: the theme does not change`);
  if (process.env.PICTURES) {
    await page.evaluate("actio.stage.look('iso', false); actio.clock.seek(actio.clock.start + 0.3 * actio.clock.span)");
    await page.frames(4);
    await page.picture(join(process.env.PICTURES, `${name}-dark.png`));
    await page.key("t");
    await page.frames(4);
    await page.picture(join(process.env.PICTURES, `${name}-light.png`));
  }

  // nothing of a text is markup, nothing comes from elsewhere
  check((await page.evaluate("window.hacked")) === undefined, `${name}: a text was run as a script`);
  check((await page.evaluate("document.querySelectorAll('#app b, #app img, #app script, #app iframe').length")) === 0, `${name}: a text became markup`);
  const foreign = page.requests.filter((url) => !url.startsWith("file:") && !url.startsWith("data:") && !url.startsWith("blob:"));
  check(foreign.length === 0, `${name}: asks for ${foreign}`);
  // the software renderer of a test machine complains about pictures being read back
  const errors = page.errors.filter((text) => !text.includes("GL Driver Message"));
  check(errors.length === 0, `${name}: ${errors.join("; ")}`);
  if (process.env.LOAD_LIMIT) {
    const seconds = await page.evaluate("actio.readyAfter / 1000");
    console.log(`${name}: ready after ${seconds.toFixed(2)} s`);
    check(seconds < Number(process.env.LOAD_LIMIT), `${name}: ready after ${seconds} s`);
    await testSmoothness(page, name);
  }
  await page.close();
}

// Pictures of a study or a certification: those that its tables give, each of them painted.
async function testSketches(browser, file) {
  const wanted = { "study.html": "Cost over x,Cost of the samples", "chance.html": "Measure of the samples,Diameters of the inputs,Samples over two inputs,Measure along the trajectories,X of the trajectories" };
  const page = await browser.open(file);
  await page.until("window.actio?.ready");
  await page.frames(4);
  const titles = await page.evaluate("[...document.querySelectorAll('.sketch h3')].map((title) => title.textContent)");
  check(titles.join() === wanted[file], `${file}: pictures of ${titles}`);
  const painted = await page.evaluate(`actio.plots.cards.filter((card) => card.sketch).map(({ chart }) => {
    const { left, top, width, height } = chart.bbox;
    const pixels = chart.ctx.getImageData(left, top, width, height).data;
    const colours = new Set();
    for (let i = 0; i < pixels.length; i += 4) if (pixels[i + 3] > 0) colours.add((pixels[i] << 16) | (pixels[i + 1] << 8) | pixels[i + 2]);
    return colours.size;
  })`);
  painted.forEach((colours, k) => check(colours > 3, `${file}: ${titles[k]} has ${colours} colours`));
  if (file === "study.html") {
    const [samples, inside] = await page.evaluate("(() => { const [band, line, dots] = actio.plots.cards[0].sketch.parts; return [dots.x.length, line.y.every((y, k) => band.low[k] <= y && y <= band.high[k])]; })()");
    check(samples === 10 && inside, `${file}: ${samples} samples, surrogate ${inside ? "inside" : "outside"} its band`);
  } else {
    check((await page.evaluate("actio.plots.cards[0].sketch.marks.map((mark) => mark.word).join()")) === "threshold,mean", `${file}: no threshold`);
    const dot = "actio.fan.dots.flatMap(({ dots, paths }) => paths.map((_, k) => dots.instanceMatrix.array[16 * k + 12])).join()";
    const before = await page.evaluate(dot);
    await page.evaluate("(actio.clock.seek(0.5 * actio.clock.end), true)");
    await page.frames(2);
    const paths = await page.evaluate("actio.fan.paths.map(({ places, time }) => places.length / time.length).join()");
    check(paths === "3,3,3,3,3", `${file}: paths of ${paths}`);
    check((await page.evaluate(dot)) !== before, `${file}: dots of the fan do not move`);
  }
  check(!page.errors.filter((text) => !text.includes("GL Driver")).length, `${file}: ${page.errors}`);
  await page.close();
}

const tests = { "rest.html": testRest, "path.html": testPath, "study.html": testSketches, "chance.html": testSketches, "gait.html": testGait };
const browser = await Browser.start();
try {
  for (const file of process.argv.slice(2)) await (tests[basename(file)] ?? testPage)(browser, file);
} catch (error) {
  check(false, error.stack);
} finally {
  await browser.close();
}
console.log(failures ? `${failures} failed` : "all passed");
process.exit(failures ? 1 : 0);
