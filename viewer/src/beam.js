// A beam or rod: its cross-section swept along the recorded places and frames, coloured by a stress resultant on request.
import * as THREE from "three";

const corners = 24;

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
  const round = (radius) => Array.from({ length: corners }, (_, k) => [radius * Math.cos((2 * Math.PI * k) / corners), radius * Math.sin((2 * Math.PI * k) / corners)]);
  const radius = section.radius > 0 ? section.radius : mark;
  const inner = section.inner_radius ?? 0;
  return { flat: false, places: round(radius), hole: section.shape === "tube" && inner > 0 && inner < radius ? round(inner) : [] };
}

// How far along a rod each of its places is.
export function lengths({ poses, places }) {
  const along = new Float64Array(places);
  for (let k = 1; k < places; ++k) along[k] = along[k - 1] + Math.hypot(...[0, 1, 2].map((i) => poses[7 * k + i] - poses[7 * k - 7 + i]));
  return along;
}

// The section at each place: between the stations of a beam that changes along its length the dimensions change linearly.
function sectionsOf(mover, { section, stations = [] }) {
  if (stations.length < 2) return Array(mover.places).fill(section);
  const along = lengths(mover);
  return Array.from(along, (length) => {
    const share = along.at(-1) > 0 ? length / along.at(-1) : 0;
    const next = stations.findIndex(({ at }) => at > share + 1e-6);
    if (next <= 0) return stations[next === 0 ? 0 : stations.length - 1].section;
    const [a, b] = [stations[next - 1], stations[next]];
    const part = Math.max(0, (share - a.at) / (b.at - a.at));
    const between = (key) => [key, a.section[key] + part * (b.section[key] - a.section[key])];
    return { shape: a.section.shape, ...Object.fromEntries(Object.keys(a.section).filter((key) => typeof a.section[key] === "number").map(between)) };
  });
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

// Where the recorded frames lie across the rod, as behind the corner of a bent one whose frames do not turn, the section is
// turned into the plane across it; null where that is not so.
function turnsOf({ places, poses, turned }) {
  if (!turned) return [];
  const place = (k) => new THREE.Vector3().fromArray(poses, 7 * k);
  const piece = (k) => (k >= 0 && k + 1 < places ? place(k + 1).sub(place(k)) : new THREE.Vector3());
  return Array.from({ length: places }, (_, k) => {
    const along = piece(k).length() > 0 ? piece(k) : piece(k - 1);
    along.applyQuaternion(new THREE.Quaternion().fromArray(poses, 7 * k + 3).invert()).normalize();
    return along.length() > 0 && along.z < 0.5 ? new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), along) : null;
  });
}

export class Beam {
  constructor(mover, description, mark, material) {
    const outlines = sectionsOf(mover, description).map((section) => outline(section, mark));
    const { flat, places: outside, hole = [] } = outlines[0];
    const places = [...outside, ...hole];
    const like = outlines.every((other) => other.places.length === outside.length && (other.hole ?? []).length === hole.length);
    const n = mover.places;
    const m = places.length;
    this.mover = mover;
    this.outline = places;
    this.outlines = outlines.map((own) => (like ? [...own.places, ...(own.hole ?? [])] : places));
    this.turns = turnsOf(mover);
    this.matrices = Array.from({ length: n }, () => new THREE.Matrix4());
    const index = [];
    for (let i = 0; i + 1 < n; ++i) {
      for (const [ring, from] of [[outside, 0], [hole, outside.length]]) {
        for (let k = 0; k < ring.length; ++k) {
          let a = i * m + from + k;
          let b = i * m + from + ((k + 1) % ring.length);
          if (from > 0) [a, b] = [b, a]; // seen from inside
          index.push(a, b, a + m, b, b + m, a + m);
        }
      }
    }
    const plane = (ring) => ring.map(([x, y]) => new THREE.Vector2(x, y));
    for (const [i, j, k] of THREE.ShapeUtils.triangulateShape(plane(outside), hole.length ? [plane(hole)] : [])) {
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
    const { mover, outlines } = this;
    const next = share > 0 && (frame + 1) * mover.size < mover.poses.length ? mover.size : 0;
    const { array } = this.mesh.geometry.attributes.position;
    for (let i = 0, out = 0; i < mover.places; ++i) {
      const a = frame * mover.size + 7 * i;
      at.fromArray(mover.poses, a).lerp(vertex.fromArray(mover.poses, a + next), share);
      quaternion.fromArray(mover.poses, a + 3).slerp(other.fromArray(mover.poses, a + next + 3), share);
      if (!mover.turned) this.alignWith(frame, i, quaternion);
      else if (this.turns[i]) quaternion.multiply(this.turns[i]);
      this.matrices[i].compose(at, quaternion, one);
      for (const [x, y] of outlines[i]) {
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

  // The value of a resultant at a place.
  value(resultant, frame, place) {
    const from = 3 * (frame * this.mover.places + place);
    return resultant.of(this.mover.force.subarray(from, from + 3), this.mover.moment.subarray(from, from + 3));
  }

  // The largest size of a resultant in the whole motion.
  largest(resultant) {
    const { places, force } = this.mover;
    let most = 0;
    for (let k = 0; 3 * k < force.length; ++k) most = Math.max(most, Math.abs(this.value(resultant, Math.floor(k / places), k % places)));
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
    const { signed } = this.resultant;
    const colour = new THREE.Color();
    for (let i = 0, out = 0; i < this.mover.places; ++i) {
      const share = this.value(this.resultant, frame, i) / this.most;
      scaleColour(signed, signed ? (share + 1) / 2 : share, colour);
      for (let k = 0; k < this.outline.length; ++k, out += 3) colour.toArray(array, out);
    }
    this.mesh.geometry.attributes.color.needsUpdate = true;
  }
}
