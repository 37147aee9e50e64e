// A beam that bends and a rod whose length is on a slider. node live_drawn.mjs ADDRESS [PICTURE]
import { Browser, tools } from "./browser.mjs";

const [address, picture] = process.argv.slice(2);
const browser = await Browser.start();
const page = await browser.open("about:blank", { width: 1280, height: 720 });
await page.load(address);
const { fail, ask, until } = tools(page, "live_drawn.mjs");
await until("Boolean(window.actioLive)", "the first state");

// the places of the mesh are those of the nodes, and they sink
const end = "(() => { const { mechanism, state } = window.actioLive; const [beam] = mechanism.beams; const p = state.poses.filter((pose) => Math.abs(pose[1]) < 1e-3); return [mechanism.beams.length, beam.matrices.length, Math.min(...beam.matrices.map((m) => m.elements[14])), Math.min(...p.map((pose) => pose[2])), [...beam.mesh.geometry.attributes.position.array].filter((_, k) => k % 3 === 2).reduce((a, b) => Math.min(a, b), 0)]; })()";
await until(`${end}[2] < -0.05`, "a beam that sinks");
await ask("document.getElementById('play').click()");
await until("!window.actioLive.state.running", "the pause");
await new Promise((resolve) => setTimeout(resolve, 500));
const [beams, places, lowest, node, surface] = await ask(end);
if (beams !== 1 || places !== 7) fail(`${beams} beams with ${places} places`);
if (!(Math.abs(lowest - node) < 1e-5)) fail(`the lowest place of the beam is ${lowest}, that of its nodes ${node}`);
if (!(surface < lowest && surface > lowest - 0.2)) fail(`the lowest place of its surface is ${surface}`);

// another length: the rod is drawn with it, its joint stays
const length = "(() => { const { geometry, matrix } = window.actioLive.mechanism.nodes[0].group.children[0]; geometry.computeBoundingBox(); const size = geometry.boundingBox.clone().applyMatrix4(matrix); return Math.max(size.max.x - size.min.x, size.max.y - size.min.y, size.max.z - size.min.z); })()";
const before = await ask(length);
await ask("(() => { const s = document.getElementById('set-0'); s.value = 1; s.dispatchEvent(new Event('input')); })()");
await until("window.actioLive.state.scene > 0 && Math.abs(window.actioLive.state.parameters[0] - 1) < 0.01", "the other length");
await until(`Math.abs(${length} - ${before} - 0.5) < 0.02`, "the longer rod");
const drawn = await ask("[window.actioLive.stage.mechanisms.length, window.actioLive.stage.mechanisms[0] === window.actioLive.mechanism, window.actioLive.stage.scene.children.filter((child) => child === window.actioLive.mechanism.root).length, window.actioLive.mechanism.beams.length]");
if (drawn.join() !== "1,true,1,1") fail(`the stage has ${drawn}`);
if (picture) await page.picture(picture);
const errors = page.errors.filter((text) => !/GL Driver Message/.test(String(text)));
if (errors.length) fail(`errors of the page: ${errors.join("; ")}`);
await browser.close();
