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
const cursors = `actio.plots.cards.map((card) => ({
  at: new DOMMatrix(getComputedStyle(card.marker).transform).e, wanted: card.chart.valToPos(actio.clock.time, "x"), shown: card.marker.style.visibility,
}))`;

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
  const ranges = await page.evaluate("actio.plots.cards.map((card) => (card.chart.scales.x.max - card.chart.scales.x.min) / actio.clock.span)");
  check(ranges.every((range) => Math.abs(range - 0.4) < 0.03), `${name}: zoom gives ${ranges}`);
  await page.evaluate("actio.plots.reset()");

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
  }
  await page.close();
}

const browser = await Browser.start();
try {
  for (const file of process.argv.slice(2)) await testPage(browser, file);
} catch (error) {
  check(false, error.stack);
} finally {
  await browser.close();
}
console.log(failures ? `${failures} failed` : "all passed");
process.exit(failures ? 1 : 0);
