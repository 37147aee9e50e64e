// The fan of trajectories of a certification in space: the paths of points of the first samples, those of failures in another
// colour, and a dot on each where it is now.
import * as THREE from "three";
import { colour, onTheme } from "./theme.js";

const values = (table, name) => table.quantities.find((quantity) => quantity.name === name)?.values;

// [{failure, time, places}]: one for each sample and point; places: x, y, z over time.
export function pathsOf({ tables }) {
  const table = tables.find((listed) => listed.name === "paths" && listed.timed);
  if (!table) return [];
  const [sample, failure] = [values(table, "paths/sample"), values(table, "paths/failure")];
  const points = [...new Set(table.quantities.map(({ name }) => name).filter((name) => /^paths\/\d/.test(name)).map((name) => name.replace(/\/[xyz]$/, "")))];
  const paths = [];
  for (let from = 0, k = 1; k <= sample.length; ++k) {
    if (k < sample.length && sample[k] === sample[from]) continue;
    for (const point of points) {
      const axes = ["x", "y", "z"].map((axis) => values(table, `${point}/${axis}`));
      const places = new Float32Array(3 * (k - from));
      for (let i = from; i < k; ++i) axes.forEach((axis, c) => (places[3 * (i - from) + c] = axis[i]));
      paths.push({ failure: failure[from] > 0, time: table.time.slice(from, k), places });
    }
    from = k;
  }
  return paths;
}

export class Fan {
  constructor(paths, mark) {
    this.paths = paths;
    this.root = new THREE.Group();
    this.lines = paths.map((path) => this.line(path));
    this.dots = [false, true].map((failure) => this.makeDots(paths.filter((path) => path.failure === failure), failure, mark));
    this.root.add(...this.lines, ...this.dots.map(({ dots }) => dots));
    onTheme(() => this.dress());
    this.dress();
  }

  line({ places, failure }) {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(places, 3));
    const line = new THREE.Line(geometry, new THREE.LineBasicMaterial({ transparent: true, opacity: 0.55 }));
    line.userData.failure = failure;
    return line;
  }

  makeDots(paths, failure, mark) {
    const dots = new THREE.InstancedMesh(new THREE.SphereGeometry(mark * 0.45, 12, 8), new THREE.MeshBasicMaterial(), Math.max(1, paths.length));
    dots.count = paths.length;
    dots.frustumCulled = false;
    dots.userData.failure = failure;
    return { dots, paths };
  }

  dress() {
    for (const part of [...this.lines, ...this.dots.map(({ dots }) => dots)]) part.material.color.set(colour(part.userData.failure ? "bad" : "accent"));
  }

  follow(time) {
    const matrix = new THREE.Matrix4();
    for (const { dots, paths } of this.dots) {
      paths.forEach((path, k) => dots.setMatrixAt(k, matrix.setPosition(...placeAt(path, time))));
      dots.instanceMatrix.needsUpdate = true;
    }
  }
}

// Straight between two time nodes.
function placeAt({ time, places }, now) {
  let k = 1;
  while (k < time.length - 1 && time[k] < now) ++k;
  if (time.length < 2) return [...places.slice(0, 3)];
  const share = Math.min(1, Math.max(0, (now - time[k - 1]) / (time[k] - time[k - 1] || 1)));
  return [0, 1, 2].map((c) => (1 - share) * places[3 * (k - 1) + c] + share * places[3 * k + c]);
}
