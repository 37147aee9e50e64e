// A beam or rod: its cross-section swept along the recorded places and frames.
import * as THREE from "three";

const corners = 12;

// The outline of the cross-section in the plane of the first two directors.
function outline(section, mark) {
  if (section?.shape === "rectangle" && section.size) {
    const [a, b] = section.size.map((x) => x / 2);
    return [[a, b], [-a, b], [-a, -b], [a, -b]];
  }
  const radius = section?.radius ?? mark;
  return Array.from({ length: corners }, (_, k) => [radius * Math.cos((2 * Math.PI * k) / corners), radius * Math.sin((2 * Math.PI * k) / corners)]);
}

export class Beam {
  constructor(mover, description, mark, material) {
    this.mover = mover;
    this.outline = outline(description.section, mark);
    const n = mover.places;
    const m = this.outline.length;
    const index = [];
    for (let i = 0; i + 1 < n; ++i) {
      for (let k = 0; k < m; ++k) {
        const a = i * m + k;
        const b = i * m + ((k + 1) % m);
        index.push(a, b, a + m, b, b + m, a + m);
      }
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * n * m), 3));
    geometry.setIndex(index);
    this.mesh = new THREE.Mesh(geometry, material);
    this.mesh.castShadow = true;
    this.mesh.frustumCulled = false;
  }

  follow(frame, share) {
    const { mover, outline: section } = this;
    const next = share > 0 && (frame + 1) * mover.size < mover.poses.length ? mover.size : 0;
    const at = new THREE.Vector3();
    const turn = new THREE.Quaternion();
    const other = new THREE.Quaternion();
    const vertex = new THREE.Vector3();
    const { array } = this.mesh.geometry.attributes.position;
    for (let i = 0, out = 0; i < mover.places; ++i) {
      const a = frame * mover.size + 7 * i;
      at.fromArray(mover.poses, a).lerp(vertex.fromArray(mover.poses, a + next), share);
      turn.fromArray(mover.poses, a + 3).slerp(other.fromArray(mover.poses, a + next + 3), share);
      if (!mover.turned) this.alignWith(frame, i, turn);
      for (const [x, y] of section) {
        vertex.set(x, y, 0).applyQuaternion(turn).add(at).toArray(array, out);
        out += 3;
      }
    }
    this.mesh.geometry.attributes.position.needsUpdate = true;
    this.mesh.geometry.computeVertexNormals();
  }

  // Without recorded frames the section stands across the line to the next place.
  alignWith(frame, i, turn) {
    const { poses, size, places } = this.mover;
    const a = frame * size + 7 * Math.max(0, i - 1);
    const b = frame * size + 7 * Math.min(places - 1, i + 1);
    const along = new THREE.Vector3(poses[b] - poses[a], poses[b + 1] - poses[a + 1], poses[b + 2] - poses[a + 2]);
    if (along.length() > 0) turn.setFromUnitVectors(new THREE.Vector3(0, 0, 1), along.normalize());
  }
}
