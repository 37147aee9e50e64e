// Numbers, units and names as people read them.

const superscripts = { 0: "\u2070", 1: "\u00b9", 2: "\u00b2", 3: "\u00b3", 4: "\u2074", 5: "\u2075", 6: "\u2076", 7: "\u2077", 8: "\u2078", 9: "\u2079", "-": "\u207b" };
const raise = (digits) => [...digits].map((c) => superscripts[c]).join("");

// "kg m^2/s" -> "kg m2/s" with a raised 2; "1" (no unit) -> "".
export function unitText(unit) {
  return unit === "1" ? "" : unit.replace(/\^(-?\d+)/g, (_, digits) => raise(digits));
}

export function withUnit(text, unit) {
  const shown = unitText(unit);
  return shown ? `${text} [${shown}]` : text;
}

const minus = (text) => text.replace(/-/g, "\u2212");

function scientific(value, digits) {
  const [mantissa, exponent] = value.toExponential(digits).split("e");
  const short = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
  const power = `10${raise(String(Number(exponent)))}`;
  if (short === "1") return power;
  if (short === "-1") return `\u2212${power}`;
  return `${minus(short)}\u00b7${power}`;
}

// `digits` significant digits at the most.
export function numberText(value, digits = 7) {
  if (value === null || value === undefined || Number.isNaN(value)) return "\u2013";
  if (!Number.isFinite(value)) return value > 0 ? "\u221e" : "\u2212\u221e";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e9) return minus(String(value));
  if (size < 1e-3 || size >= 1e7) return scientific(value, Math.max(0, Math.min(digits, 5) - 1));
  return minus(String(Number(value.toPrecision(digits))));
}

// Decimals that a step such as 0.25 needs.
function decimalsOf(step) {
  let decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  while (decimals < 15 && Math.abs(step * 10 ** decimals - Math.round(step * 10 ** decimals)) > 1e-6) ++decimals;
  return Math.min(15, decimals);
}

// All marks of an axis in one form.
export function tickTexts(values, step) {
  const largest = Math.max(...values.map((v) => Math.abs(v ?? 0)));
  if (largest === 0) return values.map(() => "0");
  if (largest < 1e-3 || largest >= 1e6) {
    const digits = Math.max(0, Math.min(15, Math.floor(Math.log10(largest) + 1e-9) - Math.floor(Math.log10(step) + 1e-9) + (decimalsOf(step / 10 ** Math.floor(Math.log10(step) + 1e-9)))));
    return values.map((v) => (v === null ? "" : Math.abs(v) < step * 1e-6 ? "0" : scientific(v, digits)));
  }
  const decimals = decimalsOf(step);
  return values.map((v) => (v === null ? "" : minus(v.toFixed(decimals).replace(/^-(0(\.0*)?)$/, "$1"))));
}

export function powerTexts(values) {
  return values.map((v) => {
    if (v === null || v <= 0) return "";
    const exponent = Math.log10(v);
    return Math.abs(exponent - Math.round(exponent)) < 1e-6 ? `10${raise(String(Math.round(exponent)))}` : "";
  });
}

// Time with as many decimals as its step asks for.
export function timeText(time, span) {
  const decimals = Math.max(0, Math.min(9, 4 - Math.floor(Math.log10(Math.max(span, 1e-12)) + 1e-9)));
  return minus(time.toFixed(Math.min(decimals, 6)));
}

export const plain = (name) => name.replaceAll("_", " ");
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
