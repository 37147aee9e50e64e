// The time that everything on the page follows.

const speeds = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

export class Clock {
  constructor(start, end) {
    this.start = start;
    this.end = end;
    this.time = start;
    this.playing = false;
    this.loop = true;
    this.listeners = [];
    this.speed = suitableSpeed(end - start);
    this.last = 0;
  }

  get span() {
    return this.end - this.start;
  }

  onChange(listener) {
    this.listeners.push(listener);
  }

  changed() {
    for (const listener of this.listeners) listener(this);
  }

  seek(time) {
    this.time = Math.min(this.end, Math.max(this.start, time));
    this.changed();
  }

  toggle(playing = !this.playing) {
    if (playing && this.time >= this.end) this.time = this.start;
    this.playing = playing && this.span > 0;
    this.last = 0;
    this.changed();
    if (this.playing) requestAnimationFrame((now) => this.tick(now));
  }

  tick(now) {
    if (!this.playing) return;
    const elapsed = this.last ? Math.min(0.1, (now - this.last) / 1000) : 0;
    this.last = now;
    let time = this.time + elapsed * this.speed;
    if (time > this.end) {
      if (this.loop) time = this.start + ((time - this.start) % this.span);
      else {
        time = this.end;
        this.playing = false;
      }
    }
    this.time = time;
    this.changed();
    if (this.playing) requestAnimationFrame((next) => this.tick(next));
  }
}

// Real time, unless the whole would be over at once or take minutes.
function suitableSpeed(span) {
  if (!(span > 0)) return 1;
  if (span >= 1.5 && span <= 120) return 1;
  const wanted = span / 12;
  return speeds.reduce((best, speed) => (Math.abs(Math.log(speed / wanted)) < Math.abs(Math.log(best / wanted)) ? speed : best));
}

export { speeds };
