// The moving parts of one result: solids, points, joints, springs, beams, arrows and traces.
import * as THREE from "three";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { Arrows } from "./arrows.js";
import { Beam } from "./beam.js";
import { indexAt } from "./data.js";
import { helix, poseMatrix, solidCorners, solidGeometry } from "./shapes.js";
import { shownSurfaces, surfaceMesh } from "./surfaces.js";

const bodyColours = [0x3f78c9, 0xe08a3c, 0x49a37b, 0xb75d69, 0x8a6fc0, 0xc9a93f, 0x4fa3b8, 0x8d8f94];
const ghostColours = [0xd9480f, 0x7048e8, 0x087f5b, 0xa61e4d]; // of further motions, one after another
const steel = 0x59616d;
const obstacle = 0x9aa3ad; // on the ground
const manySolids = 400;
const overOpacity = 0.28;
const besideOpacity = 0.6;
const z = new THREE.Vector3(0, 0, 1);

const vector = (x) => new THREE.Vector3(x[0] ?? 0, x[1] ?? 0, x[2] ?? 0);

export class Mechanism {
  // `ghost`: number of a motion that is drawn translucent, beside the one that is looked at; 0: it is that one.
  constructor(scene, motion, { ghost = 0, name = "", ofSameResult = false } = {}) {
    this.scene = scene;
    this.motion = motion;
    this.ghost = ghost > 0;
    this.colour = ghostColours[(ghost - 1) % ghostColours.length];
    this.name = name;
    this.ofSameResult = ofSameResult;
    this.root = new THREE.Group();
    this.layers = { joints: new THREE.Group(), springs: new THREE.Group(), traces: new THREE.Group(), surfaces: new THREE.Group() };
    this.root.add(...Object.values(this.layers));
    this.parts = []; // functions that follow the poses
    this.nodes = [];
    this.materials = [];
    this.beams = [];
    this.traces = new Map();
    this.matrices = new Map();
    this.measure();
  }

  // ---- sizes ----

  // Where joints sit on a node.
  seatsOf(node) {
    return this.scene.joints.flatMap((joint) => [joint.frame_a, joint.frame_b].filter((_, side) => joint.nodes[side] === node.number).map(({ position }) => vector(position)));
  }

  // Ends of the bars that stand for a node without solids: its joints and its points.
  endsOf(node) {
    const places = [...this.seatsOf(node), ...Object.values(node.points ?? {}).map(vector)];
    return places.filter((place, k) => place.length() > 0 && !places.slice(0, k).some((other) => other.distanceTo(place) < 1e-9));
  }

  // Places of a node that are to be seen: the corners of its solids, and its joints.
  outlineOf(node) {
    return node.solids.length ? [...node.solids.flatMap(solidCorners), ...this.seatsOf(node)] : [new THREE.Vector3(), ...this.endsOf(node)];
  }

  // What stands on the ground.
  obstacles() {
    return this.scene.ground?.solids ?? [];
  }

  // The box of the whole motion and the size of marks in it.
  measure() {
    this.box = new THREE.Box3();
    const nodes = new Map(this.scene.nodes.map((node) => [node.name, node]));
    const extents = [];
    const stride = Math.max(1, Math.floor((this.motion.frames * this.motion.movers.length) / 5000));
    for (const mover of this.motion.movers) {
      if (mover.kind === "arrow") continue;
      const outline = nodes.has(mover.name) ? this.outlineOf(nodes.get(mover.name)) : [new THREE.Vector3()];
      const extent = new THREE.Box3().setFromPoints(outline).getSize(new THREE.Vector3()).length();
      if (extent > 0) extents.push(extent);
      for (let f = 0; f < this.motion.frames; f += stride) this.expand(mover, f, outline);
      this.expand(mover, this.motion.frames - 1, outline);
    }
    for (const joint of this.scene.joints) {
      if (joint.nodes[0] < 0) this.box.expandByPoint(vector(joint.frame_a.position));
      if (joint.nodes[1] < 0) this.box.expandByPoint(vector(joint.frame_b.position));
    }
    for (const spring of this.scene.springs) {
      if (spring.nodes[0] < 0) this.box.expandByPoint(vector(spring.a));
      if (spring.nodes[1] < 0) this.box.expandByPoint(vector(spring.b));
    }
    for (const corner of this.obstacles().flatMap(solidCorners)) this.box.expandByPoint(corner);
    for (const { kind, node, place, radius, axes } of this.scene.surfaces ?? []) {
      if (kind === "plane" || node >= 0) continue;
      const reach = vector(axes ?? [radius, radius, radius]);
      if (!(this.box.max.z > this.box.min.z)) reach.z = 0; // a motion in the plane stays there
      this.box.expandByPoint(vector(place).add(reach)).expandByPoint(vector(place).sub(reach));
    }
    if (this.box.isEmpty()) this.box.set(vector([-1, -1, -1]), vector([1, 1, 1]));
    const size = this.box.getSize(new THREE.Vector3()).length() || 1;
    extents.sort((a, b) => a - b);
    const usual = extents.length ? extents[extents.length >> 1] : size;
    this.size = size;
    this.mark = Math.max(size * 0.0015, Math.min(size * 0.008, usual * 0.04));
  }

  expand(mover, frame, outline) {
    const turn = new THREE.Quaternion();
    const at = new THREE.Vector3();
    for (let k = 0; k < mover.places; ++k) {
      const from = frame * mover.size + 7 * k;
      turn.fromArray(mover.poses, from + 3);
      for (const corner of outline) this.box.expandByPoint(at.copy(corner).applyQuaternion(turn).add(p1.fromArray(mover.poses, from)));
    }
  }

  // ---- building ----

  material(colour, { flat = false } = {}) {
    const made = new THREE.MeshStandardMaterial({
      color: colour, roughness: 0.55, metalness: 0.08, flatShading: flat, side: THREE.DoubleSide,
      transparent: this.ghost, opacity: this.ghost ? overOpacity : 1, depthWrite: !this.ghost,
      polygonOffset: this.ghost, polygonOffsetFactor: -1, polygonOffsetUnits: -1, // so that one that coincides does not flicker
    });
    this.materials.push(made);
    return made;
  }

  // A ghost beside the first motion is easier to see than one that is laid over it.
  setBeside(beside) {
    for (const material of this.materials) material.opacity = beside ? besideOpacity : overOpacity;
  }

  mesh(geometry, material, info) {
    const made = new THREE.Mesh(geometry, material);
    made.castShadow = !this.ghost;
    made.receiveShadow = !this.ghost;
    made.userData.info = info;
    return made;
  }

  addSurfaces(up, flat) {
    const place = { size: this.size * 1.1, centre: this.box.getCenter(new THREE.Vector3()), mark: this.mark * 1.5, flat };
    for (const surface of shownSurfaces(this.scene, up, flat)) {
      const parent = surface.node < 0 ? this.layers.surfaces : this.nodes.find(({ node }) => node.number === surface.node)?.group;
      parent?.add(surfaceMesh(surface, place));
    }
  }

  // `up` is the direction against gravity; `flat`: everything moves in the plane z = 0.
  build(up, flat = false) {
    this.up = up;
    const marks = { cylinder: new THREE.CylinderGeometry(1, 1, 1, 24).rotateX(Math.PI / 2), sphere: new THREE.SphereGeometry(1, 32, 16), box: new THREE.BoxGeometry(1, 1, 1) };
    this.marks = marks;
    this.steel = this.material(this.ghost ? this.colour : steel);
    const solids = this.scene.nodes.reduce((sum, node) => sum + node.solids.length, 0);
    this.edges = solids <= manySolids && !this.ghost;
    this.motion.movers.forEach((mover) => this.addMover(mover));
    if (!this.ghost) this.obstacles().forEach((solid) => this.addSolid(this.root, solid, obstacle, null));
    for (const { mover, group } of this.nodes) blendPose(mover, this.motion.frames >> 1, 0, group.matrix);
    this.scene.joints.forEach((joint) => this.addJoint(joint));
    this.scene.springs.forEach((spring) => this.addSpring(spring));
    this.arrows = new Arrows(this.motion.movers, { mark: this.mark, reach: this.size * 0.22, ghost: this.ghost });
    this.root.add(this.arrows.root);
    this.parts.push((frame) => this.arrows.follow(frame));
    if (!this.ghost) this.addSurfaces(up, flat);
    return this.root;
  }

  addMover(mover) {
    if (mover.kind === "arrow") return;
    if (mover.kind === "beam") this.addBeam(mover);
    else this.addNode(mover);
  }

  addNode(mover) {
    const node = this.scene.nodes.find((listed) => listed.name === mover.name) ?? { name: mover.name, solids: [], points: {} };
    const group = new THREE.Group();
    group.matrixAutoUpdate = false;
    this.matrices.set(node.number, group.matrix);
    const colour = this.ghost ? this.colour : bodyColours[this.nodes.length % bodyColours.length];
    const info = { kind: mover.kind === "point" ? "point" : "body", name: mover.name };
    if (node.solids.length) node.solids.forEach((solid) => this.addSolid(group, solid, colour, info));
    else if (mover.kind === "point") this.addBall(group, colour, info);
    else this.addSticks(group, node, colour, info);
    this.nodes.push({ name: mover.name, node, mover, group });
    this.root.add(group);
  }

  addSolid(group, solid, colour, info) {
    const thin = solid.shape === "rod" ? Math.min(this.mark * 1.1, solid.length * 0.08) : this.mark * 0.8;
    const geometry = solidGeometry(solid, thin);
    if (!geometry) return;
    const angular = ["box", "pyramid", "tetrahedron"].includes(solid.shape);
    const mesh = this.mesh(geometry, this.material(colour, { flat: angular }), info);
    mesh.applyMatrix4(poseMatrix(solid));
    group.add(mesh);
    if (!angular || !this.edges) return;
    const lines = new THREE.LineSegments(new THREE.EdgesGeometry(geometry, 20), new THREE.LineBasicMaterial({ color: 0x10151c, transparent: true, opacity: 0.45 }));
    lines.applyMatrix4(poseMatrix(solid));
    group.add(lines);
  }

  addBall(group, colour, info) {
    const ball = this.mesh(this.marks.sphere, this.material(colour), info);
    ball.scale.setScalar(this.mark * 2.6);
    group.add(ball);
  }

  // A body without solids: its centre of mass, and bars to its joints and points.
  addSticks(group, node, colour, info) {
    const centre = this.mesh(this.marks.sphere, this.material(colour), info);
    centre.scale.setScalar(this.mark * 1.8);
    group.add(centre);
    for (const place of this.endsOf(node)) {
      const bar = this.mesh(this.marks.cylinder, centre.material, info);
      stretch(bar, new THREE.Vector3(), place, this.mark * 0.7);
      group.add(bar);
    }
  }

  // The matrix of a node; the ground's when the number is negative.
  matrixOf(index) {
    return index < 0 ? new THREE.Matrix4() : this.matrices.get(index);
  }

  addJoint(joint) {
    const [a, b] = joint.nodes.map((index) => this.matrixOf(index));
    if (!a || !b) return;
    const info = { kind: `${joint.kind} joint`, name: joint.name };
    if (joint.kind === "distance") {
      this.addLink(this.layers.springs, this.mesh(this.marks.cylinder, this.steel, info), a, joint.frame_a.position, b, joint.frame_b.position, this.mark * 0.6);
    }
    const group = new THREE.Group();
    group.matrixAutoUpdate = false;
    const own = poseMatrix(joint.frame_a);
    group.add(...this.jointMarks(joint, info));
    this.layers.joints.add(group);
    this.parts.push(() => group.matrix.multiplyMatrices(a, own));
    this.addSecondPin(joint, info, b);
    if (joint.nodes.some((index) => index < 0)) this.addSupport(joint, info);
  }

  // A cross: two turns about different axes, the first in one node, the second in the other.
  turnsOf({ motions = [] }) {
    return motions.filter(({ turn }) => turn).map(({ turn }) => turn);
  }

  pin(axis, size, info) {
    const mesh = this.mesh(this.marks.cylinder, this.steel, info);
    mesh.scale.set(1.2 * size, 1.2 * size, 9 * size);
    if (axis === "x") mesh.rotation.y = Math.PI / 2;
    if (axis === "y") mesh.rotation.x = Math.PI / 2;
    return mesh;
  }

  addSecondPin(joint, info, node) {
    const turns = this.turnsOf(joint);
    if (turns.length < 2) return;
    const group = new THREE.Group();
    group.matrixAutoUpdate = false;
    const own = poseMatrix(joint.frame_b);
    group.add(this.pin(turns[1], this.markSize(joint), info));
    this.layers.joints.add(group);
    this.parts.push(() => group.matrix.multiplyMatrices(node, own));
  }

  // What clamps a rod is thicker than the rod.
  markSize({ kind, nodes }) {
    if (kind !== "fixed" || nodes.every((index) => index >= 0)) return this.mark;
    const rod = this.scene.beams.find(({ first_node: first, elements }) => nodes.some((index) => index >= first && index <= first + elements));
    const { radius = 0, width = 0, height = 0 } = rod?.section ?? rod?.stations?.[0]?.section ?? {};
    return Math.max(this.mark, 1.1 * radius, 0.6 * Math.max(width, height));
  }

  jointMarks(joint, info) {
    const r = this.markSize(joint);
    const make = (shape, x, y, w) => {
      const mesh = this.mesh(this.marks[shape], this.steel, info);
      mesh.scale.set(x, y, w);
      return mesh;
    };
    const turns = this.turnsOf(joint);
    if (turns.length > 1) return [this.pin(turns[0], r, info)];
    switch (joint.kind) {
      case "revolute": return [make("cylinder", 1.5 * r, 1.5 * r, 3.6 * r)];
      case "cylindrical": return [make("cylinder", 1.2 * r, 1.2 * r, 6 * r)];
      case "prismatic": return [make("box", 2.4 * r, 2.4 * r, 5 * r)];
      case "planar": return [make("cylinder", 3 * r, 3 * r, 0.6 * r)];
      case "fixed": return [make("box", 2.2 * r, 2.2 * r, 2.2 * r)];
      case "distance": return [make("sphere", 0.9 * r, 0.9 * r, 0.9 * r)];
      default: return [make("sphere", 1.7 * r, 1.7 * r, 1.7 * r)];
    }
  }

  // Where something is held by the ground: a small cone below it.
  addSupport(joint, info) {
    const frame = joint.nodes[0] < 0 ? joint.frame_a : joint.frame_b;
    const down = this.up.clone().negate();
    const size = Math.max(this.mark, 0.65 * this.markSize(joint));
    const height = size * 4.2;
    const cone = this.mesh(new THREE.ConeGeometry(size * 2.8, height, 4, 1).rotateY(Math.PI / 4), this.material(0x8b929c, { flat: true }), info);
    cone.quaternion.setFromUnitVectors(new THREE.Vector3(0, -1, 0), down);
    cone.position.copy(vector(frame.position)).addScaledVector(down, height / 2);
    this.layers.joints.add(cone);
  }

  addLink(layer, mesh, a, placeA, b, placeB, radius) {
    const from = new THREE.Vector3();
    const to = new THREE.Vector3();
    layer.add(mesh);
    this.parts.push(() => {
      from.set(...placeA).applyMatrix4(a);
      to.set(...placeB).applyMatrix4(b);
      stretch(mesh, from, to, radius);
    });
  }

  addSpring(spring) {
    const [a, b] = spring.nodes.map((index) => this.matrixOf(index));
    if (!a || !b) return;
    const radius = this.mark * 1.8;
    const curve = new THREE.CatmullRomCurve3(helix(9));
    const geometry = new THREE.TubeGeometry(curve, 220, 0.16, 6);
    // The unit spring is stretched along its axis only; its wire is made thin there, to be round at a usual length.
    const length = vector(spring.a).applyMatrix4(a).distanceTo(vector(spring.b).applyMatrix4(b));
    const places = geometry.attributes.position;
    for (let i = 0; i < places.count; ++i) {
      const centre = curve.getPointAt(Math.floor(i / 7) / 220);
      places.setZ(i, centre.z + (places.getZ(i) - centre.z) * Math.min(1, radius / length));
    }
    geometry.computeVertexNormals();
    const mesh = this.mesh(geometry, this.material(0x7a8694), { kind: "spring", name: spring.name });
    this.addLink(this.layers.springs, mesh, a, spring.a, b, spring.b, radius);
  }

  addBeam(mover) {
    const description = this.scene.beams.find((beam) => beam.name === mover.name) ?? {};
    const beam = new Beam(mover, description, this.mark, (flat) => this.material(this.ghost ? this.colour : bodyColours[this.beams.length % bodyColours.length], { flat }));
    beam.mesh.userData.info = { kind: "beam", name: mover.name };
    beam.mesh.castShadow = beam.mesh.receiveShadow = !this.ghost;
    beam.matrices.forEach((matrix, k) => this.matrices.set(description.first_node + k, matrix));
    this.beams.push(beam);
    this.root.add(beam.mesh);
    this.parts.push((frame, share) => beam.follow(frame, share));
    beam.follow(this.motion.frames >> 1, 0);
  }

  // ---- traces ----

  // What can be traced: every point of every node, {key, node, point}.
  traceable() {
    return this.nodes.flatMap(({ name, node }) => {
      const places = Object.entries(node.points ?? {});
      return (places.length ? places : [["centre", [0, 0, 0]]]).map(([point, place]) => ({ key: `${name}/${point}`, name, point, place }));
    });
  }

  showTrace({ key, name, place }, shown) {
    const old = this.traces.get(key);
    if (old) {
      this.layers.traces.remove(old.whole, old.travelled);
      this.traces.delete(key);
    }
    if (!shown) return;
    const { mover } = this.nodes.find((node) => node.name === name);
    const points = [];
    const at = new THREE.Vector3();
    for (let f = 0; f < this.motion.frames; ++f) {
      const p = mover.poses.subarray(7 * f, 7 * f + 7);
      at.set(...place).applyQuaternion(new THREE.Quaternion(p[3], p[4], p[5], p[6]));
      points.push(at.x + p[0], at.y + p[1], at.z + p[2]);
    }
    if (points.length < 6) return;
    const colour = bodyColours[this.nodes.findIndex((node) => node.name === name) % bodyColours.length];
    const line = (width, opacity) => {
      const made = new Line2(new LineGeometry().setPositions(points), new LineMaterial({ color: this.ghost ? this.colour : colour, linewidth: width, transparent: true, opacity, depthWrite: false }));
      this.layers.traces.add(made);
      return made;
    };
    this.traces.set(key, { whole: line(1, 0.35), travelled: line(2.5, 0.95) });
    if (this.frame !== undefined) this.follow(this.time);
  }

  // Nodes that were taken out are not drawn; `absent` are their numbers.
  setAbsent(absent) {
    for (const { node, group } of this.nodes) group.visible = !absent.includes(node.number);
  }

  // ---- motion ----

  follow(time) {
    const { motion } = this;
    let frame = indexAt(motion.time, time);
    let share = 0;
    if (frame + 1 < motion.frames) {
      const span = motion.time[frame + 1] - motion.time[frame];
      share = span > 0 ? Math.min(1, Math.max(0, (time - motion.time[frame]) / span)) : 0;
      if (motion.rough[frame]) {
        frame += share > 0.5 ? 1 : 0;
        share = 0;
      }
    }
    this.frame = frame;
    this.time = time;
    for (const { mover, group } of this.nodes) {
      blendPose(mover, frame, share, group.matrix);
      group.matrixWorldNeedsUpdate = true;
    }
    for (const part of this.parts) part(frame, share);
    this.layers.joints.traverse((part) => (part.matrixWorldNeedsUpdate = true));
    for (const { travelled } of this.traces.values()) travelled.geometry.instanceCount = frame;
  }
}

const q0 = new THREE.Quaternion();
const q1 = new THREE.Quaternion();
const p0 = new THREE.Vector3();
const p1 = new THREE.Vector3();
const one = new THREE.Vector3(1, 1, 1);

function blendPose({ poses, size }, frame, share, matrix) {
  const a = frame * size;
  p0.fromArray(poses, a);
  q0.fromArray(poses, a + 3);
  if (share > 0) {
    const b = a + size;
    p0.lerp(p1.fromArray(poses, b), share);
    q0.slerp(q1.fromArray(poses, b + 3), share);
  }
  matrix.compose(p0, q0, one);
}

// Lays a mesh of unit length along z (from -1/2 to 1/2, or 0 to 1 for springs) between two places.
function stretch(mesh, from, to, radius) {
  if (!mesh.geometry.boundingBox) mesh.geometry.computeBoundingBox();
  const starts = mesh.geometry.boundingBox.min.z < -0.4;
  const along = p1.subVectors(to, from);
  const length = along.length();
  mesh.visible = length > 0;
  if (!mesh.visible) return;
  mesh.quaternion.setFromUnitVectors(z, along.divideScalar(length));
  mesh.position.copy(from);
  if (starts) mesh.position.addScaledVector(along, length / 2);
  mesh.scale.set(radius, radius, length);
}
