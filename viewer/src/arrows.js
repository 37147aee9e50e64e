// Forces and torques: straight arrows for forces, straight arrows with a turning one around them for torques. All forces
// that are shown have one scale, and all torques another; the longest of each is `reach` long.
import * as THREE from "three";

export const groups = { load: "Loads", spring: "Springs and dampers", actuator: "Controls", reaction: "Reactions of joints", contact: "Contact forces" };
const colours = { load: 0xd6336c, spring: 0x2f9e44, actuator: 0x8250df, reaction: 0x0b7285, contact: 0xe8590c };
const kinds = { load: "load", spring: "spring", actuator: "control", reaction: "reaction", contact: "contact" };
const z = new THREE.Vector3(0, 0, 1);
const arc = 1.55 * Math.PI;

function largestOf(movers) {
  let largest = 0;
  for (const { poses } of movers) {
    for (let i = 0; i < poses.length; i += 6) largest = Math.max(largest, Math.hypot(poses[i + 3], poses[i + 4], poses[i + 5]));
  }
  return largest;
}

export class Arrows {
  // `mark`: the thickness of things in the scene; `reach`: the length of the longest arrow.
  constructor(movers, { mark, reach, ghost }) {
    this.reach = reach;
    this.thick = mark * 0.75;
    this.root = new THREE.Group();
    this.layers = {};
    const given = movers.filter((mover) => mover.kind === "arrow");
    this.parts = ghost ? [] : given.filter((mover) => largestOf([mover]) > 0).map((mover) => this.make(mover));
    this.rescale();
  }

  get groups() {
    return Object.keys(this.layers);
  }

  // The parts in the groups that are not hidden.
  get shown() {
    return this.parts.filter(({ mover }) => this.layers[mover.group].visible);
  }

  rescale() {
    const most = (torque) => largestOf(this.shown.map(({ mover }) => mover).filter((mover) => Boolean(mover.torque) === torque));
    this.largest = { force: most(false), torque: most(true) };
  }

  layer(group) {
    if (!this.layers[group]) {
      this.layers[group] = new THREE.Group();
      this.root.add(this.layers[group]);
    }
    return this.layers[group];
  }

  make(mover) {
    // seen through everything: much of what acts does so inside of a body
    const material = new THREE.MeshStandardMaterial({ color: colours[mover.group] ?? colours.load, roughness: 0.6, metalness: 0, depthTest: false, transparent: true, opacity: 0.92 });
    const mesh = (geometry) => {
      const made = new THREE.Mesh(geometry, material);
      made.renderOrder = 10;
      made.userData.info = { kind: `${kinds[mover.group] ?? "load"}, ${mover.torque ? "torque" : "force"}`, name: mover.name };
      return made;
    };
    const shaft = mesh(new THREE.CylinderGeometry(1, 1, 1, 16).rotateX(Math.PI / 2).translate(0, 0, 0.5));
    const head = mesh(new THREE.ConeGeometry(1, 1, 20).rotateX(Math.PI / 2).translate(0, 0, -0.5));
    const group = new THREE.Group();
    group.add(shaft, head);
    let ring = null;
    if (mover.torque) {
      ring = new THREE.Group();
      const point = mesh(new THREE.ConeGeometry(0.2, 0.45, 16));
      point.position.set(Math.cos(arc), Math.sin(arc), 0);
      point.rotation.z = arc;
      ring.add(mesh(new THREE.TorusGeometry(1, 0.075, 10, 40, arc)), point);
      group.add(ring);
    }
    this.layer(mover.group).add(group);
    return { mover, group, shaft, head, ring };
  }

  follow(frame) {
    const value = new THREE.Vector3();
    for (const { mover, group, shaft, head, ring } of this.parts) {
      const at = 6 * frame;
      value.fromArray(mover.poses, at + 3);
      const size = value.length();
      const part = size / this.largest[mover.torque ? "torque" : "force"];
      const length = part * this.reach * (mover.torque ? 0.5 : 1); // of a torque the ring around its place says more
      group.visible = Number.isFinite(length) && length > this.reach * 2e-3;
      if (!group.visible) continue;
      group.position.fromArray(mover.poses, at);
      group.quaternion.setFromUnitVectors(z, value.divideScalar(size));
      const point = Math.min(length * 0.45, this.thick * 5.5);
      const thick = Math.min(this.thick, length * 0.08);
      shaft.scale.set(thick, thick, length - point);
      head.scale.set(thick * 2.4, thick * 2.4, point);
      head.position.z = length;
      ring?.scale.setScalar(part * this.reach * 0.3);
    }
  }
}
