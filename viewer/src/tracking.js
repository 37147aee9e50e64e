// The controls of a tracker: method and weights, targets and pins, bodies and joints. All follow what the server has.
import * as THREE from "three";
import { element, iconButton } from "./dom.js";
import { numberText } from "./format.js";

const labelled = (text, ...inputs) => element("label", {}, element("span", {}, text), ...inputs);
const card = (title, name, ...rows) => element("section", { class: `card settings ${name}` }, element("header", {}, element("h3", {}, title)), ...rows);

let anew = false; // a value was refused

// Sets an input unless the user is in it.
function follow(input, value) {
  if (document.activeElement === input && !anew) return;
  if (input.type === "checkbox") input.checked = value;
  else if (input.value !== String(value)) input.value = value;
}

function settingsPanel(send, { methods, cancels, yukawas, suggested }) {
  const change = () => send(`settings ${[methods.indexOf(method.value), rho0.value, rho1.value, running.value, velocity.value, mass.checked ? 1 : 0,
    yukawas.indexOf(yukawa.value), cancels.indexOf(cancel.value), joints.value, servo.value].join(" ")}`);
  const limit = () => send(`limits ${force.value || 0} ${torque.value || 0} ${speed.value || 0}`);
  const number = (onchange, attributes = {}) => element("input", { type: "number", step: "any", min: 0, onchange, ...attributes });
  const choice = (list, id) => element("select", { id, onchange: change }, ...list.map((word) => element("option", { value: word }, word)));
  const method = choice(methods, "method");
  const cancel = choice(cancels, "cancel");
  const yukawa = choice(yukawas, "yukawa");
  const rho0 = number(change, { id: "rho0" });
  const rho1 = number(change);
  const running = number(change);
  const velocity = number(change);
  const mass = element("input", { type: "checkbox", onchange: change });
  const joints = number(change, { max: 1 });
  const servo = number(change, { max: 1 });
  const [force, torque, speed] = ["force", "torque", "speed"].map((name) => number(limit, { id: `limit-${name}` }));
  const advice = element("button", { type: "button", id: "suggest", onclick: () => {
    const { rho0: first, rho1: second } = suggested[methods.indexOf(method.value)];
    rho0.value = first.toPrecision(4);
    rho1.value = second.toPrecision(4);
    change();
  } });
  const h1 = [labelled("rho1", rho1), labelled("control equation by", yukawa)];
  const published = labelled("weight along the step", running);
  const stabilised = labelled("stabilisation of targets", servo);
  const weights = [labelled("rho0", rho0), labelled("velocity weight", velocity), labelled("weighted by mass", mass), labelled("cancel loads", cancel)];
  const root = card("control", "", labelled("method", method), weights[0], ...h1, published, ...weights.slice(1), stabilised, labelled("stabilisation of joints", joints), labelled("suggested weights", advice),
    element("details", {}, element("summary", {}, "limits of the pointer, 0: none"), labelled("force [N]", force), labelled("torque [N m]", torque), labelled("speed [m/s]", speed)));
  return { root, show(state) {
    const values = [[method, state.method], [cancel, state.cancel], [yukawa, state.yukawa], [rho0, state.rho0], [rho1, state.rho1], [running, state.running_weight],
      [velocity, state.velocity], [mass, state.by_mass], [joints, state.joints], [servo, state.servo], [force, state.limits[0]], [torque, state.limits[1]], [speed, state.limits[2]]];
    for (const [input, value] of values) follow(input, value);
    const of = (...names) => names.includes(state.method);
    for (const row of h1) row.hidden = !of("h1-neumann", "h1-mixed");
    published.hidden = !of("l2", "h1-neumann", "h1-mixed");
    for (const row of weights) row.hidden = of("servo");
    stabilised.hidden = !of("servo");
    const { frequency, z, interval } = suggested[methods.indexOf(state.method)];
    advice.parentElement.hidden = of("servo");
    advice.textContent = `ω ${numberText(frequency, 3)} rad/s${of("h1-neumann", "h1-mixed") ? `, z ${numberText(z, 2)}` : ""}`;
    advice.title = `for a sample every ${numberText(1000 * interval, 3)} ms`;
  } };
}

function targetsPanel(send, scene, targets) {
  const keep = element("input", { type: "checkbox", id: "pin" });
  const own = targets.map(({ name, live }, k) => {
    const box = element("input", { type: "checkbox", id: `follow-${k}`, onchange: () => send(`follow ${k} ${box.checked ? 1 : 0}`) });
    return { box, root: element("label", {}, box, element("span", {}, live ? `${name} (live)` : name)) };
  });
  const pins = element("div", { class: "pins" });
  let listed = "";
  const root = card("targets", "parts", ...own.map((row) => row.root), pins, element("label", { title: "or hold Ctrl while letting go" }, keep, element("span", {}, "pin where the pointer lets go")),
    element("p", { class: "faint" }, "drag a body to lead it; with Alt, to turn it"));
  return { root, keeps: () => keep.checked, show(state) {
    for (const { number, followed } of state.targets.filter((t) => t.own)) follow(own[number].box, followed);
    const held = state.targets.filter((t) => !t.own && !t.led);
    const key = held.map((t) => t.number).join(" ");
    if (key === listed) return;
    listed = key;
    pins.replaceChildren(...held.map(({ number, node }) => {
      const name = scene.nodes.find((n) => n.number === node)?.name ?? node;
      return element("div", { class: "pin" }, element("span", {}, `pin on ${name}`), iconButton("close", "take the pin away", () => send(`unpin ${number}`), { class: "icon small" }));
    }));
  } };
}

function partsPanel(send, scene) {
  const boxes = new Map();
  const box = (text, command, checked = true) => {
    const input = element("input", { type: "checkbox", checked, onchange: () => send(`${command} ${input.checked ? 1 : 0}`) });
    boxes.set(command, input);
    return element("label", {}, input, element("span", {}, text));
  };
  const root = card("bodies and joints", "parts", ...scene.nodes.map((node) => box(node.name, `node ${node.number}`)),
    ...scene.joints.map((joint, k) => box(`${joint.kind} ${joint.name ?? k + 1}`, `joint ${k}`)));
  return { root, show(state) {
    for (const node of scene.nodes) follow(boxes.get(`node ${node.number}`), !state.absent.includes(node.number));
    scene.joints.forEach((_, k) => follow(boxes.get(`joint ${k}`), !state.open.includes(k)));
  } };
}

// Targets in the picture: a small ball where it is, a line to the point that follows.
export class Marks {
  constructor(stage, size) {
    this.stage = stage;
    this.group = new THREE.Group();
    this.ball = new THREE.SphereGeometry(0.012 * size, 16, 12);
    this.marks = [];
    stage.scene.add(this.group);
  }

  make() {
    const material = new THREE.MeshBasicMaterial({ color: 0xd6336c });
    const line = new THREE.Line(new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), new THREE.Vector3()]), new THREE.LineBasicMaterial({ color: 0xd6336c }));
    const mark = { ball: new THREE.Mesh(this.ball, material), line };
    line.frustumCulled = false;
    this.group.add(mark.ball, line);
    this.marks.push(mark);
    return mark;
  }

  show(targets) {
    const shown = targets.filter((t) => t.followed && !t.led); // the pointer draws its own
    this.marks.forEach(({ ball, line }) => (ball.visible = line.visible = false));
    shown.forEach(({ at, point }, k) => {
      const { ball, line } = this.marks[k] ?? this.make();
      ball.visible = line.visible = true;
      ball.position.set(...at);
      const { position } = line.geometry.attributes;
      position.setXYZ(0, ...at);
      position.setXYZ(1, ...point);
      position.needsUpdate = true;
    });
  }
}

// Panels of a tracker: their elements, and how they follow the state.
export function trackingPanels(send, scene, controls) {
  const panels = [settingsPanel(send, controls), targetsPanel(send, scene, controls.targets), partsPanel(send, scene)];
  const [control, ...parts] = panels.map((panel) => panel.root);
  return { roots: [[control], parts].map((cards) => element("div", { class: "column" }, ...cards)), keeps: panels[1].keeps, show(state, refused) {
    anew = refused;
    panels.forEach((panel) => panel.show(state));
  } };
}
