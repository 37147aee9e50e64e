// Geometries of solids, each in its own frame: z is the axis (src/problem/shape/solids.h).
import * as THREE from "three";

const round = 48;
const upright = (geometry) => geometry.rotateX(Math.PI / 2); // three's axis of rotation is y

function turned(profile) {
  return upright(new THREE.LatheGeometry(profile.map(([r, z]) => new THREE.Vector2(r, z)), round));
}

// A profile with sharp edges: every corner twice, so that normals do not run over it.
function sharp(profile) {
  const doubled = [];
  profile.forEach((point, i) => {
    doubled.push(point);
    if (i > 0 && i + 1 < profile.length) doubled.push(point);
  });
  const geometry = turned(doubled);
  geometry.computeVertexNormals();
  return geometry;
}

function polyhedron(corners, faces) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(faces.flat().flatMap((i) => corners[i]), 3));
  geometry.computeVertexNormals();
  return geometry;
}

function tetrahedron(corners) {
  const [a, b, c, d] = corners.map((x) => new THREE.Vector3(...x));
  const volume = b.clone().sub(a).cross(c.clone().sub(a)).dot(d.clone().sub(a));
  const faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
  return polyhedron(corners, volume > 0 ? faces : faces.map(([i, j, k]) => [i, k, j]));
}

function pyramid(edge, height) {
  const h = edge / 2;
  const corners = [[-h, -h, 0], [h, -h, 0], [h, h, 0], [-h, h, 0], [0, 0, height]];
  return polyhedron(corners, [[0, 2, 1], [0, 3, 2], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]]);
}

const builders = {
  box: (s) => new THREE.BoxGeometry(...s.size),
  sphere: (s) => new THREE.SphereGeometry(s.radius, round, round / 2),
  cylinder: (s) => {
    const inner = s.inner_radius ?? 0;
    const outside = [[inner, 0], [s.radius, 0], [s.radius, s.length], [inner, s.length]];
    return sharp(inner > 0 ? [...outside, [inner, 0]] : outside);
  },
  cone: (s) => sharp([[0, 0], [s.radius, 0], [0, s.length]]),
  double_cone: (s) => sharp([[0, 0], [s.radius, s.length], [0, 2 * s.length]]),
  pyramid: (s) => pyramid(s.edge, s.length),
  tetrahedron: (s) => tetrahedron(s.corners),
  rod: (s, thin) => sharp([[0, 0], [thin, 0], [thin, s.length], [0, s.length]]),
  disc: (s, thin) => sharp([[0, -thin / 2], [s.radius, -thin / 2], [s.radius, thin / 2], [0, thin / 2]]),
};

const isFinitePositive = (x) => typeof x === "number" && Number.isFinite(x) && x > 0;

// The geometry of a solid of the scene, null when it cannot be drawn. `thin` is the thickness of rods and discs.
export function solidGeometry(solid, thin) {
  const build = builders[solid.shape];
  if (!build) return null;
  try {
    return build(solid, isFinitePositive(thin) ? thin : 0.01);
  } catch {
    return null;
  }
}

// Corners of a box around a solid (the corners of a tetrahedron themselves), in the frame of its node.
export function solidCorners(solid) {
  const geometry = solidGeometry(solid, 1e-9);
  if (!geometry) return [];
  const matrix = poseMatrix(solid);
  if (solid.shape === "tetrahedron") return solid.corners.map((corner) => new THREE.Vector3(...corner).applyMatrix4(matrix));
  geometry.computeBoundingBox();
  return boxCorners(geometry.boundingBox).map((corner) => corner.applyMatrix4(matrix));
}

export function boxCorners({ min, max }) {
  return [0, 1, 2, 3, 4, 5, 6, 7].map((i) => new THREE.Vector3(i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z));
}

export function helix(turns) {
  const points = [];
  const steps = turns * 16;
  for (let i = 0; i <= steps; ++i) {
    const share = i / steps;
    const lead = share < 0.08 || share > 0.92 ? 0 : 1; // straight ends
    const angle = share * turns * 2 * Math.PI;
    points.push(new THREE.Vector3(lead * Math.cos(angle), lead * Math.sin(angle), share));
  }
  return points;
}

// The matrix of {position, rotation}, the rotation row by row.
export function poseMatrix({ position: p, rotation: r }) {
  return new THREE.Matrix4().set(r[0], r[1], r[2], p[0], r[3], r[4], r[5], p[1], r[6], r[7], r[8], p[2], 0, 0, 0, 1);
}
