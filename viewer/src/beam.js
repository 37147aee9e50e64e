// A beam or rod: its cross-section swept along the recorded places and frames, coloured by a stress resultant on request.
import * as THREE from "three";

const corners = 16;

// The outline of the cross-section in the plane of the first two directors, against the clock.
function outline(section = {}, mark) {
  const a = (section.width ?? 0) / 2;
  const b = (section.height ?? 0) / 2;
  if (section.shape === "rectangle" && a > 0 && b > 0) return { flat: true, places: [[a, b], [-a, b], [-a, -b], [a, -b]] };
  if (section.shape === "i_section" && a > 0 && b > 0) {
    const w = (section.web ?? a / 4) / 2;
    const f = b - (section.flange ?? b / 4);
    return { flat: true, places: [[a, b], [-a, b], [-a, f], [-w, f], [-w, -f], [-a, -f], [-a, -b], [a, -b], [a, -f], [w, -f], [w, f], [a, f]] };
  }
  const radius = section.radius > 0 ? section.radius : mark;
  const turn = (k) => (2 * Math.PI * k) / corners;
  return { flat: false, places: Array.from({ length: corners }, (_, k) => [radius * Math.cos(turn(k)), radius * Math.sin(turn(k))]) };
}

// What a beam can be coloured by: a number from force (f) and moment (m) in the frame of the directors.
export const resultants = {
  axial: { title: "axial force", unit: "N", signed: true, of: (f) => f[2] },
  shear: { title: "shear force", unit: "N", signed: false, of: (f) => Math.hypot(f[0], f[1]) },
  torsion: { title: "torsion moment", unit: "N m", signed: true, of: (f, m) => m[2] },
  bending: { title: "bending moment", unit: "N m", signed: false, of: (f, m) => Math.hypot(m[0], m[1]) },
};

const scales = {
  signed: [0x2166ac, 0x92c5de, 0xf2f2f2, 0xf4a582, 0xb2182b].map((c) => new THREE.Color(c)),
  unsigned: [0x2c2a78, 0x2f6f9f, 0x27a08a, 0x7cc95a, 0xf7e225].map((c) => new THREE.Color(c)),
};

// The colour at a share from 0 to 1.
export function scaleColour(signed, share, colour = new THREE.Color()) {
  const stops = scales[signed ? "signed" : "unsigned"];
  const at = Math.min(1, Math.max(0, share)) * (stops.length - 1);
  const k = Math.min(stops.length - 2, Math.floor(at));
  return colour.copy(stops[k]).lerp(stops[k + 1], at - k);
}

const quaternion = new THREE.Quaternion();
const other = new THREE.Quaternion();
const at = new THREE.Vector3();
const vertex = new THREE.Vector3();
const one = new THREE.Vector3(1, 1, 1);

export class Beam {
  constructor(mover, description, mark, material) {
    const { flat, places } = outline(description.section, mark);
    const n = mover.places;
    const m = places.length;
    this.mover = mover;
    this.outline = places;
    this.matrices = Array.from({ length: n }, () => new THREE.Matrix4());
    const index = [];
    for (let i = 0; i + 1 < n; ++i) {
      for (let k = 0; k < m; ++k) {
        const a = i * m + k;
        const b = i * m + ((k + 1) % m);
        index.push(a, b, a + m, b, b + m, a + m);
      }
    }
    for (const [i, j, k] of THREE.ShapeUtils.triangulateShape(places.map(([x, y]) => new THREE.Vector2(x, y)), [])) {
      const last = (n - 1) * m;
      index.push(i, k, j, last + i, last + j, last + k);
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * n * m), 3));
    geometry.setAttribute("color", new THREE.BufferAttribute(new Float32Array(3 * n * m).fill(1), 3));
    geometry.setIndex(index);
    this.mesh = new THREE.Mesh(geometry, material(flat));
    this.plain = this.mesh.material.color.clone();
    this.mesh.frustumCulled = false;
  }

  follow(frame, share) {
    const { mover, outline: section } = this;
    const next = share > 0 && (frame + 1) * mover.size < mover.poses.length ? mover.size : 0;
    const { array } = this.mesh.geometry.attributes.position;
    for (let i = 0, out = 0; i < mover.places; ++i) {
      const a = frame * mover.size + 7 * i;
      at.fromArray(mover.poses, a).lerp(vertex.fromArray(mover.poses, a + next), share);
      quaternion.fromArray(mover.poses, a + 3).slerp(other.fromArray(mover.poses, a + next + 3), share);
      if (!mover.turned) this.alignWith(frame, i, quaternion);
      this.matrices[i].compose(at, quaternion, one);
      for (const [x, y] of section) {
        vertex.set(x, y, 0).applyQuaternion(quaternion).add(at).toArray(array, out);
        out += 3;
      }
    }
    this.mesh.geometry.attributes.position.needsUpdate = true;
    this.mesh.geometry.computeVertexNormals();
    if (this.resultant) this.paint(frame);
  }

  // Without recorded frames the section stands across the line to the next place.
  alignWith(frame, i, turn) {
    const { poses, size, places } = this.mover;
    const a = frame * size + 7 * Math.max(0, i - 1);
    const b = frame * size + 7 * Math.min(places - 1, i + 1);
    const along = new THREE.Vector3(poses[b] - poses[a], poses[b + 1] - poses[a + 1], poses[b + 2] - poses[a + 2]);
    if (along.length() > 0) turn.setFromUnitVectors(new THREE.Vector3(0, 0, 1), along.normalize());
  }

  // ---- colour ----

  get stressed() {
    return Boolean(this.mover.force && this.mover.moment);
  }

  // The value of a resultant in an element.
  value(resultant, frame, element) {
    const from = 3 * (frame * (this.mover.places - 1) + element);
    return resultant.of(this.mover.force.subarray(from, from + 3), this.mover.moment.subarray(from, from + 3));
  }

  // The largest size of a resultant in the whole motion.
  largest(resultant) {
    let most = 0;
    const elements = this.mover.places - 1;
    const frames = this.mover.force.length / (3 * elements);
    for (let f = 0; f < frames; ++f) for (let k = 0; k < elements; ++k) most = Math.max(most, Math.abs(this.value(resultant, f, k)));
    return most;
  }

  // Colours by a resultant, whose largest size is `most`; null: its own colour again.
  colourBy(resultant, most) {
    this.resultant = resultant;
    this.most = most || 1;
    this.mesh.material.vertexColors = Boolean(resultant);
    this.mesh.material.color.copy(resultant ? new THREE.Color(0xffffff) : this.plain);
    this.mesh.material.needsUpdate = true;
  }

  paint(frame) {
    const { array } = this.mesh.geometry.attributes.color;
    const elements = this.mover.places - 1;
    const { signed } = this.resultant;
    const colour = new THREE.Color();
    for (let i = 0, out = 0; i < this.mover.places; ++i) {
      const left = this.value(this.resultant, frame, Math.max(0, i - 1));
      const right = this.value(this.resultant, frame, Math.min(elements - 1, i));
      const share = (left + right) / 2 / this.most;
      scaleColour(signed, signed ? (share + 1) / 2 : share, colour);
      for (let k = 0; k < this.outline.length; ++k, out += 3) colour.toArray(array, out);
    }
    this.mesh.geometry.attributes.color.needsUpdate = true;
  }
}
