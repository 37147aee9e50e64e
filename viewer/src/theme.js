// Light and dark: what the system says, until the user says otherwise.

const listeners = [];

function stored() {
  try {
    return localStorage.getItem("actio-theme");
  } catch {
    return null; // a page opened from disk may have no storage
  }
}

function apply(name) {
  document.documentElement.dataset.theme = name;
  for (const listener of listeners) listener();
}

export function startTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  apply(stored() ?? (dark.matches ? "dark" : "light"));
  dark.addEventListener("change", () => {
    if (!stored()) apply(dark.matches ? "dark" : "light");
  });
}

export function toggleTheme() {
  const name = isDark() ? "light" : "dark";
  try {
    localStorage.setItem("actio-theme", name);
  } catch {
    // not remembered then
  }
  apply(name);
}

export const isDark = () => document.documentElement.dataset.theme === "dark";
export const onTheme = (listener) => listeners.push(listener);
export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
export const curveColour = (number) => colour(`curve${number % 8}`);
