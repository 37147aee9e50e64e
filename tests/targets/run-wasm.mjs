// Runs a WebAssembly program in the current folder: node tests/targets/run-wasm.mjs PROGRAM [ARGUMENT...]
import { readFile } from 'node:fs/promises';
import { argv } from 'node:process';
import { WASI } from 'node:wasi';

const wasi = new WASI({ version: 'preview1', args: argv.slice(2), preopens: { '.': '.' }, returnOnExit: true });
// Called through functions of ours: node 20 hands its own to WebAssembly by a shorter way, and then crashes now and then.
const calls = Object.fromEntries(Object.entries(wasi.wasiImport).map(([name, call]) => [name, (...all) => call(...all)]));
const module = await WebAssembly.compile(await readFile(argv[2]));
const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: calls });
process.exitCode = wasi.start(instance);
