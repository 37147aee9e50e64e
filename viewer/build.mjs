// Builds dist/report.html and dist/live.html: each one file with the script, the style and the licences of what it is made of.
//
//   npm ci && npm run build                  writes both
//   node build.mjs --output FILE             writes the page of `actio report` into another file
//   node build.mjs --live --output FILE      the page of `actio live`
//
// The same lock file gives the same bytes.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const read = (...path) => readFileSync(join(here, ...path), "utf8");

async function bundle(entry) {
  const result = await build({
    entryPoints: [join(here, "src", entry)],
    absWorkingDir: here,
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: ["es2022"],
    charset: "ascii",
    legalComments: "none", // the licences stand whole at the top of the page
    logLevel: "warning",
  });
  return result.outputFiles[0].text.trim();
}

function licences(names) {
  return names
    .map((name) => {
      const { version } = JSON.parse(read("node_modules", name, "package.json"));
      return `${name} ${version}\n\n${read("node_modules", name, "LICENSE").trim()}`;
    })
    .join("\n\n----\n\n")
    .replaceAll("--", "- -");
}

// `connect`: where the page may fetch from.
async function writePage(entry, connect, output) {
  const script = await bundle(entry);
  const hash = createHash("sha256").update(script).digest("base64");
  const parts = {
    licences: licences(["three", "uplot"]),
    policy: `default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; img-src data: blob:${connect}`,
    style: await bundle("page.css"),
    script,
  };
  const page = read("src", "page.html").replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]);
  mkdirSync(dirname(output), { recursive: true });
  writeFileSync(output, page);
}

const given = process.argv.indexOf("--output");
const live = process.argv.includes("--live");
const pages = [["main.js", "", "report.html"], ["live.js", "; connect-src 'self'", "live.html"]];
for (const [entry, connect, name] of pages) {
  if (given > 0 && (entry === "live.js") !== live) continue;
  await writePage(entry, connect, given > 0 ? process.argv[given + 1] : join(here, "dist", name));
}
