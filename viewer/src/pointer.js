// Dragging: the pointer leads a point of a body in the plane through it that faces the camera, or turns the body.
import * as THREE from "three";

export class Pointer {
  // `onGrab(node, place, point)`, `onMove(point)`; `onHold(node)`, `onTurn(rotation vector)` with Alt, if there are such;
  // `onRelease(pins)`. place is in the frame of the node.
  constructor(stage, mechanism, on) {
    this.stage = stage;
    this.mechanism = mechanism;
    this.on = on;
    this.plane = new THREE.Plane();
    const geometry = new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), new THREE.Vector3()]);
    this.line = new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: 0xd6336c }));
    this.line.frustumCulled = false;
    this.line.visible = false;
    stage.scene.add(this.line);
    // before the camera's own controls, so that a drag that starts on a body does not turn the view
    stage.canvas.addEventListener("pointerdown", (event) => this.down(event), { capture: true });
    stage.canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel"]) stage.canvas.addEventListener(end, (event) => this.up(event));
  }

  // The same bodies, drawn anew.
  take(mechanism) {
    this.mechanism = mechanism;
    if (this.entry) this.entry = mechanism.nodes.find(({ name }) => name === this.entry.name) ?? null;
  }

  down(event) {
    if (event.button !== 0 || event.shiftKey) return;
    const hit = this.stage.hit(event);
    const entry = hit && this.mechanism.nodes.find(({ name }) => name === hit.info.name);
    if (!entry) return;
    event.stopImmediatePropagation();
    this.stage.controls.enabled = false;
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.entry = entry;
    this.turning = event.altKey && this.on.onHold ? { x: event.clientX, y: event.clientY } : null;
    if (this.turning) return this.on.onHold(entry.node.number);
    this.place = hit.point.clone().applyMatrix4(entry.group.matrix.clone().invert());
    this.plane.setFromNormalAndCoplanarPoint(this.stage.camera.getWorldDirection(new THREE.Vector3()), hit.point);
    this.goal = hit.point.clone();
    this.on.onGrab(entry.node.number, this.place, this.goal);
  }

  move(event) {
    if (!this.entry) return;
    if (this.turning) return this.turn(event);
    if (!this.stage.rayAt(event).ray.intersectPlane(this.plane, this.goal)) return;
    if (this.stage.flat) this.goal.z = 0;
    this.on.onMove(this.goal);
    this.draw();
  }

  // To the right: about the up of the picture; down: about its right.
  turn(event) {
    const { width } = this.stage.canvas.getBoundingClientRect();
    const scale = (2 * Math.PI) / width;
    const right = new THREE.Vector3().setFromMatrixColumn(this.stage.camera.matrixWorld, 0);
    const up = new THREE.Vector3().setFromMatrixColumn(this.stage.camera.matrixWorld, 1);
    this.on.onTurn(up.multiplyScalar((event.clientX - this.turning.x) * scale).addScaledVector(right, (event.clientY - this.turning.y) * scale));
  }

  up(event) {
    if (!this.entry) return;
    this.entry = null;
    this.line.visible = false;
    this.stage.controls.enabled = true;
    if (this.stage.canvas.hasPointerCapture(event.pointerId)) this.stage.canvas.releasePointerCapture(event.pointerId);
    this.on.onRelease(event.ctrlKey || event.metaKey);
    this.stage.draw();
  }

  // A line from the point of the body to the pointer.
  draw() {
    this.line.visible = Boolean(this.entry) && !this.turning;
    if (!this.line.visible) return;
    const from = this.place.clone().applyMatrix4(this.entry.group.matrix);
    const { position } = this.line.geometry.attributes;
    position.setXYZ(0, from.x, from.y, from.z);
    position.setXYZ(1, this.goal.x, this.goal.y, this.goal.z);
    position.needsUpdate = true;
  }
}
