// The stage on which mechanisms move: renderer, camera, light, floor, axes.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { boxCorners } from "./shapes.js";
import { isDark, onTheme } from "./theme.js";

const looks = {
  light: { sky: 0xffffff, earth: 0xc9cdd4, back: 0xf3f5f8, line: 0xc3c9d2, strong: 0xa3abb7, shadow: 0.22, ambient: 1.4, sun: 1.8, lamp: 0.9 },
  dark: { sky: 0xdfe8f5, earth: 0x2b3038, back: 0x14171c, line: 0x2c323b, strong: 0x434b57, shadow: 0.5, ambient: 1.4, sun: 2.0, lamp: 1.2 },
};

const views = {
  x: { direction: [1, 0, 0], title: "along x" },
  y: { direction: [0, -1, 0], title: "along y" },
  z: { direction: [0, 0, 1], title: "along z" },
};

export class Stage {
  constructor(host, mechanisms) {
    this.host = host;
    this.mechanisms = mechanisms;
    this.renderer = new THREE.WebGLRenderer({ antialias: true, powerPreference: "high-performance" });
    this.renderer.shadowMap.enabled = true;
    this.renderer.setPixelRatio(Math.min(2, devicePixelRatio));
    this.canvas = this.renderer.domElement;
    this.canvas.className = "stage";
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("aria-label", "Animation of the mechanism");
    host.prepend(this.canvas);

    this.scene = new THREE.Scene();
    this.box = new THREE.Box3();
    this.flat = isFlat(mechanisms);
    this.up = upOf(mechanisms[0].scene.gravity, this.flat);
    for (const mechanism of mechanisms) {
      this.box.union(mechanism.box);
      this.scene.add(mechanism.build(this.up, this.flat));
    }
    this.size = this.box.getSize(new THREE.Vector3()).length() || 1;
    this.centre = this.box.getCenter(new THREE.Vector3());

    this.camera = new THREE.PerspectiveCamera(32, 1, this.size * 1e-3, this.size * 1e3);
    this.camera.up.copy(this.up);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.addEventListener("change", () => this.draw());
    this.addLights();
    this.addAxes();
    this.dress();
    onTheme(() => this.dress());
    this.resize();
    new ResizeObserver(() => this.resize()).observe(host);
    this.look(this.flat ? "z" : "iso", false);
  }

  // ---- surroundings ----

  addLights() {
    this.ambient = new THREE.HemisphereLight();
    this.ambient.position.copy(this.up);
    this.sun = new THREE.DirectionalLight(0xffffff);
    const side = Math.abs(this.up.x) < 0.8 ? new THREE.Vector3(1, 0, 0) : new THREE.Vector3(0, 1, 0);
    const across = new THREE.Vector3().crossVectors(this.up, side);
    const direction = this.up.clone().addScaledVector(side, 0.45).addScaledVector(across, this.flat ? -0.2 : 0.35);
    if (this.flat) direction.set(0.35, 0.6, 1.2);
    this.sun.position.copy(this.centre).addScaledVector(direction.normalize(), 2 * this.size);
    this.sun.target.position.copy(this.centre);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 3;
    this.sun.shadow.normalBias = this.size * 1.5e-3;
    this.sun.shadow.bias = -4e-4;
    const half = this.size * 0.75;
    Object.assign(this.sun.shadow.camera, { left: -half, right: half, top: half, bottom: -half, near: this.size * 0.1, far: this.size * 5 });
    this.lamp = new THREE.DirectionalLight(0xffffff); // at the camera, so that no side is black
    this.camera.add(this.lamp);
    this.scene.add(this.ambient, this.sun, this.sun.target, this.camera);
  }

  // A grid below the motion; behind it when everything moves in the plane z = 0.
  makeFloor(look) {
    const normal = this.flat ? new THREE.Vector3(0, 0, 1) : this.up;
    const depth = Math.min(...boxCorners(this.box).map((corner) => corner.dot(normal))) - this.mechanisms[0].mark * 3;
    const step = niceStep(this.size / 12);
    const lines = 14;
    const group = new THREE.Group();
    const material = new THREE.ShadowMaterial({ opacity: look.shadow });
    const ground = new THREE.Mesh(new THREE.PlaneGeometry(step * lines * 2, step * lines * 2), material);
    ground.receiveShadow = true;
    group.add(gridLines(step, lines, look), ground);
    group.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), normal);
    const turned = this.centre.clone().applyQuaternion(group.quaternion.clone().invert());
    turned.set(Math.round(turned.x / step) * step, Math.round(turned.y / step) * step, 0);
    group.position.copy(turned.applyQuaternion(group.quaternion)).addScaledVector(normal, depth);
    this.gridStep = step;
    return group;
  }

  addAxes() {
    this.axes = new THREE.Scene();
    this.axesCamera = new THREE.OrthographicCamera(-1.5, 1.5, 1.5, -1.5, 0.1, 10);
    const colours = { x: 0xd64545, y: 0x3a9d5d, z: 0x3f78d9 };
    Object.entries(colours).forEach(([name, colour], i) => {
      const direction = new THREE.Vector3().setComponent(i, 1);
      const arrow = new THREE.ArrowHelper(direction, new THREE.Vector3(), 1, colour, 0.34, 0.2);
      const label = letter(name, colour);
      label.position.copy(direction).multiplyScalar(1.25);
      this.axes.add(arrow, label);
    });
  }

  // Colours of the theme.
  dress() {
    const look = looks[isDark() ? "dark" : "light"];
    this.scene.background = new THREE.Color(look.back);
    this.ambient.color.set(look.sky);
    this.ambient.groundColor.set(look.earth);
    this.ambient.intensity = look.ambient;
    this.sun.intensity = look.sun;
    this.lamp.intensity = look.lamp;
    const shown = this.floor?.visible ?? true;
    if (this.floor) this.scene.remove(this.floor);
    this.floor = this.makeFloor(look);
    this.floor.visible = shown;
    this.scene.add(this.floor);
    this.draw();
  }

  // Another motion over the first, beside it so far that they do not meet, or hidden.
  placeGhost(ghost, place, smooth = true) {
    ghost.root.visible = place !== "hidden";
    ghost.root.position.set(0, 0, 0);
    ghost.setBeside(place === "beside");
    if (place === "beside") ghost.root.position.copy(this.besideShift());
    this.box.makeEmpty();
    for (const { box, root } of this.mechanisms) if (root.visible) this.box.union(box.clone().translate(root.position));
    this.box.getCenter(this.centre);
    this.fit(smooth);
  }

  // Across the motion: along the axis, not the upright one, in which it is narrowest, to the side that is right in the view.
  besideShift() {
    this.camera.updateMatrixWorld();
    const right = new THREE.Vector3().setFromMatrixColumn(this.camera.matrixWorld, 0);
    const extent = this.mechanisms[0].box.getSize(new THREE.Vector3());
    const axes = [0, 1, 2].filter((i) => Math.abs(this.up.getComponent(i)) < 0.5 && !(this.flat && i === 2));
    const axis = axes.reduce((best, i) => (extent.getComponent(i) < extent.getComponent(best) ? i : best));
    const shift = Math.max(1.15 * extent.getComponent(axis), 0.35 * extent.length()) || this.size;
    return new THREE.Vector3().setComponent(axis, (Math.sign(right.getComponent(axis)) || 1) * shift);
  }

  // ---- camera ----

  directionOf(view) {
    if (views[view]) {
      const direction = new THREE.Vector3(...views[view].direction);
      return Math.abs(direction.dot(this.up)) > 0.9 ? direction.multiplyScalar(Math.sign(direction.dot(this.up))).add(leaning(this.up)) : direction;
    }
    const side = new THREE.Vector3(...(Math.abs(this.up.z) > 0.9 ? [0.55, -0.9, 0] : Math.abs(this.up.y) > 0.9 ? [0.45, 0, 0.9] : [0, 0.45, 0.9]));
    return side.addScaledVector(this.up, 0.42);
  }

  // Turns to a standard view in which the whole motion fits.
  look(view, smooth = true) {
    const direction = this.directionOf(view).normalize();
    this.moveTo(direction, smooth);
  }

  fit(smooth = true) {
    this.moveTo(this.camera.position.clone().sub(this.controls.target).normalize(), smooth);
  }

  moveTo(direction, smooth) {
    const goal = this.centre.clone().addScaledVector(direction, this.distanceFor(direction));
    cancelAnimationFrame(this.moving);
    const fromPlace = this.camera.position.clone();
    const fromTarget = this.controls.target.clone();
    const begun = performance.now();
    const step = (now) => {
      const share = smooth ? Math.min(1, (now - begun) / 350) : 1;
      const eased = share * share * (3 - 2 * share);
      this.controls.target.lerpVectors(fromTarget, this.centre, eased);
      this.camera.position.lerpVectors(fromPlace, goal, eased);
      this.controls.update();
      this.draw();
      if (share < 1) this.moving = requestAnimationFrame(step);
    };
    step(begun);
  }

  // From where all corners of the box are seen.
  distanceFor(direction) {
    const right = new THREE.Vector3().crossVectors(this.up, direction).normalize();
    const above = new THREE.Vector3().crossVectors(direction, right);
    const tall = Math.tan((this.camera.fov * Math.PI) / 360);
    const wide = tall * this.camera.aspect;
    let distance = this.size * 0.1;
    for (const corner of boxCorners(this.box)) {
      corner.sub(this.centre);
      const near = corner.dot(direction);
      distance = Math.max(distance, near + Math.abs(corner.dot(right)) / wide, near + Math.abs(corner.dot(above)) / tall);
    }
    return distance * 1.16;
  }

  resize() {
    const width = Math.max(1, this.host.clientWidth);
    const height = Math.max(1, this.host.clientHeight);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.draw();
  }

  // ---- drawing ----

  // Another mechanism in the place of one, in the same view.
  replace(old, next) {
    this.scene.remove(old.root);
    old.root.traverse(({ geometry, material }) => [geometry, material].flat().forEach((part) => part?.dispose()));
    this.mechanisms = this.mechanisms.map((mechanism) => (mechanism === old ? next : mechanism));
    this.scene.add(next.build(this.up, this.flat));
    this.box.union(next.box);
    this.box.getCenter(this.centre);
    this.draw();
  }

  follow(time) {
    for (const mechanism of this.mechanisms) mechanism.follow(time);
    this.draw();
  }

  // Any number of wishes to draw become one picture.
  draw() {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = 0;
      this.render();
    });
  }

  // Machines without a graphics card draw slowly: when frames follow each other slowly, shadows go, then fine pixels.
  watchPace() {
    const now = performance.now();
    const gap = now - (this.drawnAt ?? -Infinity);
    this.drawnAt = now;
    if (gap > 500) this.slow = 0; // not playing
    else this.slow = gap > 50 ? (this.slow ?? 0) + 1 : Math.max(0, (this.slow ?? 0) - 1);
    if (this.slow < 8 || this.economy >= 3) return;
    this.slow = 0;
    this.economy = (this.economy ?? 0) + 1;
    if (this.economy === 1) {
      this.sun.castShadow = false;
      this.onShadowsOff?.();
    } else {
      this.renderer.setPixelRatio(this.renderer.getPixelRatio() * 0.65);
      this.resize();
    }
  }

  render() {
    this.watchPace();
    const { renderer } = this;
    const width = this.host.clientWidth;
    const height = this.host.clientHeight;
    renderer.setViewport(0, 0, width, height);
    renderer.autoClear = true;
    renderer.render(this.scene, this.camera);
    const side = Math.min(96, width / 4);
    renderer.autoClear = false;
    renderer.clearDepth();
    renderer.setViewport(6, 6, side, side);
    const away = this.camera.position.clone().sub(this.controls.target).normalize();
    this.axesCamera.position.copy(away.multiplyScalar(5));
    this.axesCamera.up.copy(this.camera.up);
    this.axesCamera.lookAt(0, 0, 0);
    renderer.render(this.axes, this.axesCamera);
    this.onRender?.();
  }

  // The ray from the camera through the pointer.
  rayAt(event) {
    const place = this.canvas.getBoundingClientRect();
    const pointer = new THREE.Vector2(((event.clientX - place.left) / place.width) * 2 - 1, 1 - ((event.clientY - place.top) / place.height) * 2);
    const ray = new THREE.Raycaster();
    ray.setFromCamera(pointer, this.camera);
    return ray;
  }

  // What is under the pointer and where: {info: {kind, name}, point}; null: nothing.
  hit(event) {
    const solids = this.mechanisms.filter((m) => m.root.visible).map((m) => m.root);
    const hit = this.rayAt(event).intersectObjects(solids, true).find(({ object }) => object.userData.info && isSeen(object));
    return hit ? { info: hit.object.userData.info, point: hit.point } : null;
  }

  // What is under the pointer, as {kind, name}.
  pick(event) {
    return this.hit(event)?.info ?? null;
  }

  // Where a place of the world is on the canvas, in CSS pixels; null behind the camera.
  project(place) {
    const at = place.clone().project(this.camera);
    if (at.z > 1) return null;
    return { x: ((at.x + 1) / 2) * this.host.clientWidth, y: ((1 - at.y) / 2) * this.host.clientHeight };
  }
}

// Whether it is drawn: neither it nor anything that it is part of is hidden.
function isSeen(object) {
  return !object || (object.visible && isSeen(object.parent));
}

function leaning(up) {
  return new THREE.Vector3(0, -1, 0).multiplyScalar(Math.abs(up.y) > 0.9 ? 0 : 1e-3).add(new THREE.Vector3(0, 0, Math.abs(up.y) > 0.9 ? 1e-3 : 0));
}

// Everything moves in the plane z = const, and nothing pulls out of it.
function isFlat(mechanisms) {
  return mechanisms.every(({ motion, scene, size }) => {
    let low = Infinity;
    let high = -Infinity;
    for (const mover of motion.movers) {
      if (mover.kind === "arrow") continue;
      for (let i = 2; i < mover.poses.length; i += 7) {
        low = Math.min(low, mover.poses[i]);
        high = Math.max(high, mover.poses[i]);
      }
    }
    return low <= high && high - low < 1e-6 * size && !scene.gravity?.[2];
  });
}

function upOf(gravity, flat) {
  const up = new THREE.Vector3(...[0, 1, 2].map((i) => -(gravity?.[i] ?? 0)));
  if (up.length() > 0) return up.normalize();
  return flat ? new THREE.Vector3(0, 1, 0) : new THREE.Vector3(0, 0, 1);
}

function niceStep(about) {
  const power = 10 ** Math.floor(Math.log10(about));
  const share = about / power;
  return power * (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10);
}

function gridLines(step, lines, look) {
  const points = [];
  const colours = [];
  const fine = new THREE.Color(look.line);
  const strong = new THREE.Color(look.strong);
  const back = new THREE.Color(look.back);
  const end = step * lines;
  const put = (x, y, base) => {
    const fade = Math.min(1, Math.hypot(x, y) / end);
    points.push(x, y, 0);
    colours.push(...base.clone().lerp(back, fade * fade).toArray());
  };
  for (let i = -lines; i <= lines; ++i) {
    const base = i % 5 === 0 ? strong : fine;
    for (let j = -lines; j < lines; ++j) {
      put(i * step, j * step, base);
      put(i * step, (j + 1) * step, base);
      put(j * step, i * step, base);
      put((j + 1) * step, i * step, base);
    }
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
  geometry.setAttribute("color", new THREE.Float32BufferAttribute(colours, 3));
  return new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ vertexColors: true, depthWrite: false }));
}

function letter(text, colour) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 64;
  const context = canvas.getContext("2d");
  context.font = "bold 46px system-ui, sans-serif";
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillStyle = `#${colour.toString(16).padStart(6, "0")}`;
  context.fillText(text, 32, 32);
  const sprite = new THREE.Sprite(new THREE.SpriteMaterial({ map: new THREE.CanvasTexture(canvas), depthTest: false }));
  sprite.scale.setScalar(0.55);
  return sprite;
}

export const standardViews = views;
