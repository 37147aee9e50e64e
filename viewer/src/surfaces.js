// What contacts strike and nothing else shows: walls and floors as sheets, spheres and ellipsoids as shells. In a plane motion
// they are seen from the side, as strips and rims.
import * as THREE from "three";

const z = new THREE.Vector3(0, 0, 1);

// Surfaces on the ground, and shells around bodies; planes of bodies are faces of their solids. A floor in space is the grid.
export function shownSurfaces(scene, up, flat) {
  const level = (normal) => !flat && new THREE.Vector3(...normal).dot(up) > 1 - 1e-9;
  return (scene.surfaces ?? []).filter(({ kind, node, inside, normal, radius }) =>
    (kind === "plane" ? node < 0 && !level(normal) : (node < 0 || inside) && radius !== 0));
}

function strip({ normal, place }, material, { size, centre, mark, flat }) {
  const n = new THREE.Vector3(...normal);
  const at = new THREE.Vector3(...place);
  const foot = centre.clone().addScaledVector(n, at.sub(centre).dot(n)); // below the middle of the motion
  const along = flat ? new THREE.Vector3(-n.y, n.x, 0) : n.clone().cross(Math.abs(n.z) < 0.9 ? z : new THREE.Vector3(1, 0, 0)).normalize();
  const made = new THREE.Mesh(new THREE.BoxGeometry(size, flat ? mark * 2 : size, mark), material);
  made.quaternion.setFromRotationMatrix(new THREE.Matrix4().makeBasis(along, n.clone().cross(along), n));
  made.position.copy(foot).addScaledVector(n, -mark / 2);
  return made;
}

// The rim of an ellipse in the plane, or a shell in space.
function round({ kind, place, radius, axes }, material, { mark, flat }) {
  const [a, b, c] = kind === "sphere" ? [radius, radius, radius] : axes;
  if (!flat) {
    const shell = new THREE.Mesh(new THREE.SphereGeometry(1, 48, 24), material);
    shell.scale.set(a, b, c);
    shell.position.set(...place);
    return shell;
  }
  const rim = new THREE.CatmullRomCurve3(Array.from({ length: 96 }, (_, k) => new THREE.Vector3(a * Math.cos((k * Math.PI) / 48), b * Math.sin((k * Math.PI) / 48), 0)), true);
  const made = new THREE.Mesh(new THREE.TubeGeometry(rim, 192, mark * 0.5, 8, true), material);
  made.position.set(...place);
  return made;
}

export function surfaceMesh(surface, place) {
  const material = new THREE.MeshStandardMaterial({ color: 0x8a94a0, roughness: 0.9, metalness: 0, transparent: true, opacity: place.flat ? 0.9 : 0.22, depthWrite: place.flat, side: THREE.DoubleSide });
  const made = surface.kind === "plane" ? strip(surface, material, place) : round(surface, material, place);
  made.userData.info = { kind: "surface", name: surface.name ?? "" };
  return made;
}
