// Making elements. Text from a result only ever becomes the text of an element, never markup.

// element("div", {class: "x", onclick: f, title: "..."}, child, "text", ...)
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "class") made.className = value;
    else if (value === true) made.setAttribute(name, "");
    else made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

const paths = {
  play: "M7 4.5v15l12-7.5z",
  pause: "M6 5h4v14H6zM14 5h4v14h-4z",
  start: "M6 5h2.4v14H6zM19 5v14L9.5 12z",
  end: "M15.6 5H18v14h-2.4zM5 5v14l9.5-7z",
  back: "M16 5v14l-9.5-7z",
  forward: "M8 5v14l9.5-7z",
  loop: "M7 7h10v3l4-4-4-4v3H5v6h2zM17 17H7v-3l-4 4 4 4v-3h12v-6h-2z",
  theme: "M12 3a9 9 0 1 0 0 18zM12 1.5A10.5 10.5 0 1 1 12 22.500 10.500 10.500 0 0 1 12 1.500z",
  fit: "M4 9V4h5v2H6v3zM15 4h5v5h-2V6h-3zM20 15v5h-5v-2h3v-3zM9 20H4v-5h2v3h3z",
  full: "M3 3h7v2H6.400l4.100 4.100-1.400 1.400L5 6.400V10H3zM21 21h-7v-2h3.600l-4.100-4.100 1.400-1.400 4.100 4.100V14h2z",
  eye: "M12 5C6.500 5 2.700 9.600 1.500 12 2.700 14.400 6.500 19 12 19s9.300-4.600 10.500-7C21.300 9.600 17.500 5 12 5zm0 11.500A4.500 4.500 0 1 1 12 7.500a4.500 4.500 0 0 1 0 9zm0-2.300a2.200 2.200 0 1 0 0-4.400 2.200 2.200 0 0 0 0 4.400z",
  help: "M11 17h2v2h-2zM12 4.500a5 5 0 0 0-5 5h2.200a2.800 2.800 0 1 1 4.400 2.300c-1.400 1-2.600 1.900-2.600 4.200h2.100c0-1.300.8-1.800 1.900-2.600A5 5 0 0 0 12 4.500z",
  close: "M6.400 5 12 10.600 17.600 5 19 6.400 13.400 12 19 17.600 17.600 19 12 13.400 6.400 19 5 17.600 10.600 12 5 6.400z",
  add: "M11 5h2v6h6v2h-6v6h-2v-6H5v-2h6z",
};

export function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", paths[name]);
  path.setAttribute("fill-rule", "evenodd");
  svg.append(path);
  return svg;
}

export function iconButton(name, title, onclick, attributes = {}) {
  return element("button", { type: "button", class: "icon", title, "aria-label": title, onclick, ...attributes }, icon(name));
}
