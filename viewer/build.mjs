// Builds dist/report.html: one file with the script, the style and the licences of what it is made of.
//
//   npm ci && npm run build            writes dist/report.html
//   node build.mjs --output FILE       writes another file
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

const script = await bundle("main.js");
const style = await bundle("page.css");
const hash = createHash("sha256").update(script).digest("base64");
const parts = {
  licences: licences(["three", "uplot"]),
  policy: `default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; img-src data: blob:`,
  style,
  script,
};
const page = read("src", "page.html").replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]);

const given = process.argv.indexOf("--output");
const output = given > 0 ? process.argv[given + 1] : join(here, "dist", "report.html");
mkdirSync(dirname(output), { recursive: true });
writeFileSync(output, page);
