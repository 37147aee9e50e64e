// Headless Chromium through its debugging pipe: open a page, ask it things, take pictures. Needs nothing but Node.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const flags = [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--remote-debugging-pipe",
  "--hide-scrollbars", "--mute-audio", "--disable-dev-shm-usage",
];

export class Browser {
  static async start(program = process.env.CHROMIUM ?? "/usr/bin/chromium") {
    const browser = new Browser();
    browser.folder = mkdtempSync(join(tmpdir(), "actio-chromium-"));
    browser.process = spawn(program, [...flags, `--user-data-dir=${browser.folder}`, "about:blank"], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    browser.waiting = new Map();
    browser.listeners = [];
    browser.count = 0;
    browser.ended = new Promise((resolve) => browser.process.once("exit", resolve));
    let rest = "";
    browser.process.stdio[4].on("data", (chunk) => {
      const pieces = (rest + chunk.toString("utf8")).split("\0");
      rest = pieces.pop();
      for (const piece of pieces) browser.receive(JSON.parse(piece));
    });
    return browser;
  }

  receive(message) {
    if (message.id && this.waiting.has(message.id)) {
      const { resolve, reject } = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      if (message.error) reject(new Error(message.error.message));
      else resolve(message.result);
      return;
    }
    for (const listener of this.listeners) listener(message);
  }

  send(method, params = {}, sessionId = undefined) {
    const id = ++this.count;
    this.process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  async open(file, { width = 1366, height = 768, dark = false, scale = 1 } = {}) {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, sessionId, targetId);
    await page.send("Page.enable");
    await page.send("Runtime.enable");
    await page.send("Log.enable");
    await page.send("Network.enable");
    await page.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: scale, mobile: false });
    await page.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }] });
    await page.load(pathToFileURL(file).href);
    return page;
  }

  async close() {
    await this.send("Browser.close").catch(() => {});
    await this.ended;
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

class Page {
  constructor(browser, session, target) {
    this.browser = browser;
    this.session = session;
    this.target = target;
    this.errors = []; // of the console and of scripts
    this.requests = []; // addresses asked for
    browser.listeners.push((message) => {
      if (message.sessionId === session) this.hear(message);
    });
  }

  hear({ method, params }) {
    if (method === "Runtime.exceptionThrown") this.errors.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    if (method === "Runtime.consoleAPICalled" && ["error", "warning", "assert"].includes(params.type)) this.errors.push(`${params.type}: ${params.args.map((a) => a.value ?? a.description).join(" ")}`);
    if (method === "Log.entryAdded" && ["error", "warning"].includes(params.entry.level)) this.errors.push(`${params.entry.level}: ${params.entry.text} ${params.entry.url ?? ""}`);
    if (method === "Network.requestWillBeSent") this.requests.push(params.request.url);
    if (method === "Page.loadEventFired") this.loaded?.();
  }

  send(method, params) {
    return this.browser.send(method, params, this.session);
  }

  async load(url) {
    const loaded = new Promise((resolve) => (this.loaded = resolve));
    const begun = performance.now();
    await this.send("Page.navigate", { url });
    await loaded;
    this.loadSeconds = (performance.now() - begun) / 1000;
  }

  // The value of a JavaScript expression in the page; promises are waited for.
  async evaluate(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  // Waits until the expression is true.
  async until(expression, seconds = 200) {
    const end = performance.now() + 1000 * seconds;
    while (performance.now() < end) {
      if (await this.evaluate(expression)) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`not within ${seconds} s: ${expression}`);
  }

  frames(count = 2) {
    return this.evaluate(`new Promise((done) => { let n = ${count}; const next = () => (n-- > 0 ? requestAnimationFrame(next) : done(true)); next(); })`);
  }

  async key(key, text = key.length === 1 ? key : undefined) {
    const code = { " ": "Space" }[key] ?? (key.length === 1 ? `Key${key.toUpperCase()}` : key);
    await this.send("Input.dispatchKeyEvent", { type: "keyDown", key, code, text });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", key, code });
  }

  async mouse(type, x, y, button = "left") {
    await this.send("Input.dispatchMouseEvent", { type, x, y, button: type === "mouseMoved" ? "none" : button, clickCount: 1 });
  }

  async picture(file) {
    const { data } = await this.send("Page.captureScreenshot", { format: "png" });
    const bytes = Buffer.from(data, "base64");
    if (file) writeFileSync(file, bytes);
    return bytes;
  }

  close() {
    return this.browser.send("Target.closeTarget", { targetId: this.target });
  }
}

/** What the tests of live pages do with a page: report a failure, evaluate, wait for a condition or a file, move the mouse. */
export function tools(page, name) {
  const fail = (text) => {
    console.error(`${name}: ${text}`);
    process.exitCode = 1;
  };
  const ask = (text) => page.evaluate(text);
  const until = async (text, what, seconds = 200) => {
    for (let k = 0; k < seconds * 10; ++k) {
      if (await ask(text)) return true;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    fail(`${what} did not come`);
    return false;
  };
  const file = async (path) => {
    for (let k = 0; k < 2000 && !existsSync(path); ++k) await new Promise((resolve) => setTimeout(resolve, 100));
    if (!existsSync(path)) fail(`${path} was not written`);
  };
  const mouse = (type, { x, y }, buttons, modifiers = 0) =>
    page.send("Input.dispatchMouseEvent", { type, x, y, button: "left", buttons, clickCount: 1, modifiers });
  return { fail, ask, until, file, mouse };
}
