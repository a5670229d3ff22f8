/* The moving model: shapes at any time, drawn in the plane; the transport below it.
 * Places between two frames are interpolated; angles and matrices too, which is good enough between
 * neighbours.
 * SPDX-License-Identifier: BSD-3-Clause */
'use strict';

vincolo.scene = (() => {
  const { theme, clock, numbers, show, rowAt } = vincolo;
  let times = [], shapes = [], solid = false, box = null;

  const two = (s) => s.kind === 'rod' || s.kind === 'spring';
  function value(column, i, part) {
    if (column.length === 1) return column[0];
    return part > 0 ? column[i] * (1 - part) + column[i + 1] * part : column[i];
  }

  function frameAt(t) {
    const i = Math.min(rowAt(times, t), times.length - 1), last = i + 1 >= times.length;
    const dt = last ? 0 : times[i + 1] - times[i];
    return { i, part: dt > 0 ? Math.min(1, Math.max(0, (t - times[i]) / dt)) : 0 };
  }

  /* A shape at a time: places with three coordinates, the rotation, the size. */
  function shapeAt(s, frame) {
    const at = (k) => value(s.values[k], frame.i, frame.part);
    const place = (k) => [at(k), at(k + 1), s.n === 3 ? at(k + 2) : 0];
    let k = s.n;
    const out = { kind: s.kind, label: s.label, form: s.form, from: place(0) };
    if (two(s)) { out.to = place(k); k += s.n; }
    if (s.rotation) { out.rotation = Array.from({ length: s.rotation }, (_, j) => at(k + j)); k += s.rotation; }
    if (s.size) out.size = Array.from({ length: s.size }, (_, j) => at(k + j));
    return out;
  }
  const places = (t) => { const f = frameAt(t); return shapes.map((s) => shapeAt(s, f)); };

  /* Everything that is ever shown: lows and highs of three coordinates. */
  function bounds() {
    const lo = [Infinity, Infinity, Infinity], hi = [-Infinity, -Infinity, -Infinity];
    for (const s of shapes) {
      const n = s.n * (two(s) ? 2 : 1), pad = s.size ? Math.max(...s.values.slice(-s.size).map((v) => Math.abs(v[0]))) / 2 : 0;
      for (let k = 0; k < n; k++) {
        const axis = k % s.n;
        for (const x of s.values[k]) {
          if (!Number.isFinite(x)) continue;
          lo[axis] = Math.min(lo[axis], x - pad);
          hi[axis] = Math.max(hi[axis], x + pad);
        }
      }
    }
    for (let k = 0; k < 3; k++) if (!(hi[k] >= lo[k])) lo[k] = hi[k] = 0;
    return { lo, hi, size: Math.max(...hi.map((h, k) => h - lo[k])) || 1 };
  }

  /* How large the model is at one time, within reason: what travels far is not drawn thicker for it. */
  function extent() {
    const lo = [Infinity, Infinity, Infinity], hi = [-Infinity, -Infinity, -Infinity];
    for (const q of places(times[0])) {
      const pad = q.size ? Math.max(...q.size) / 2 : 0;
      for (const p of q.to ? [q.from, q.to] : [q.from])
        p.forEach((x, k) => { lo[k] = Math.min(lo[k], x - pad); hi[k] = Math.max(hi[k], x + pad); });
    }
    const size = Math.max(...hi.map((h, k) => h - lo[k]));
    return size > 0 ? Math.min(box.size, Math.max(1.5 * size, 0.15 * box.size)) : 0.5 * box.size;
  }

  /* Bodies and points take colours in turn; a trace has that of what moves along it. */
  function colourShapes() {
    let next = 0;
    const traced = new Map();
    const key = (s) => s.values.slice(0, s.n).map((v) => v[0] + ':' + v[v.length >> 1]).join();
    shapes.forEach((s) => {
      if (s.kind === 'rod' || s.kind === 'spring') return;
      if (!traced.has(key(s))) traced.set(key(s), next++);
      s.colour = traced.get(key(s));
    });
  }

  /* False: there is nothing to be seen. */
  function take(scene) {
    if (!scene) return false;
    times = numbers(scene.t);
    shapes = scene.shapes.map((s) => ({ ...s, values: s.values.map(numbers) }));
    solid = scene.solid;
    box = bounds();
    box.model = extent();
    colourShapes();
    return true;
  }

  /* ---- in the plane ---- */

  const stage = document.getElementById('stage'), canvas = document.getElementById('flat');
  const view = { scale: 1, x: 0, y: 0, own: false };

  function fit() {
    const w = stage.clientWidth, h = stage.clientHeight, pad = 46;
    const bw = Math.max(box.hi[0] - box.lo[0], 0.25 * box.size), bh = Math.max(box.hi[1] - box.lo[1], 0.25 * box.size);
    view.scale = Math.min((w - 2 * pad) / bw, (h - 2 * pad) / bh);
    view.x = w / 2 - view.scale * (box.lo[0] + box.hi[0]) / 2;
    view.y = h / 2 + view.scale * (box.lo[1] + box.hi[1]) / 2;
    view.own = false;
  }
  const X = (x) => view.x + view.scale * x, Y = (y) => view.y - view.scale * y;

  function drawGrid(c, w, h) {
    const raw = 70 / view.scale, p = Math.pow(10, Math.floor(Math.log10(raw)));
    const step = [1, 2, 5, 10].map((m) => m * p).find((s) => s >= raw);
    c.lineWidth = 1;
    for (const [along, length, origin] of [[0, w, view.x], [1, h, view.y]]) {
      const sign = along ? -1 : 1, a = (0 - origin) / (sign * view.scale), b = (length - origin) / (sign * view.scale);
      for (let k = Math.ceil(Math.min(a, b) / step); k * step <= Math.max(a, b); k++) {
        const at = Math.round(origin + sign * view.scale * k * step) + 0.5;
        c.strokeStyle = k === 0 ? theme.css('line') : theme.css('grid');
        c.beginPath();
        if (along) { c.moveTo(0, at); c.lineTo(w, at); } else { c.moveTo(at, 0); c.lineTo(at, h); }
        c.stroke();
        c.fillStyle = theme.css('soft');
        c.globalAlpha = 0.8;
        if (!along && at > 20 && at < w - 20) { c.textAlign = 'center'; c.fillText(show(k * step, 4), at, h - 6); }
        if (along && at > 16 && at < h - 24) { c.textAlign = 'left'; c.fillText(show(k * step, 4), 6, at - 3); }
        c.globalAlpha = 1;
      }
    }
  }

  function drawTrace(c, s, frame) {
    const [xs, ys] = s.values, n = times.length;
    const path = (from, to) => {
      c.beginPath();
      for (let i = from; i <= to; i++) c.lineTo(X(xs.length === 1 ? xs[0] : xs[i]), Y(ys.length === 1 ? ys[0] : ys[i]));
      const now = shapeAt(s, frame).from;
      if (to === frame.i) c.lineTo(X(now[0]), Y(now[1]));
      c.stroke();
    };
    c.strokeStyle = theme.colour(s.colour);
    c.lineWidth = 1.2;
    c.globalAlpha = 0.18;
    path(0, n - 1);
    c.globalAlpha = 0.75;
    c.lineWidth = 1.8;
    path(rowAt(times, clock.t - 0.15 * (clock.to - clock.from)), frame.i);
    c.globalAlpha = 1;
  }

  function drawSpring(c, a, b) {
    const dx = b[0] - a[0], dy = b[1] - a[1], length = Math.hypot(dx, dy) || 1, turns = 9;
    const wide = Math.min(9, 0.05 * view.scale * box.size) / view.scale;
    c.beginPath();
    c.moveTo(X(a[0]), Y(a[1]));
    for (let k = 0; k <= 2 * turns; k++) {
      const u = 0.12 + 0.76 * k / (2 * turns), side = k === 0 || k === 2 * turns ? 0 : (k % 2 ? 1 : -1) * wide;
      c.lineTo(X(a[0] + u * dx - side * dy / length), Y(a[1] + u * dy + side * dx / length));
    }
    c.lineTo(X(b[0]), Y(b[1]));
    c.stroke();
  }

  function drawBody(c, s, q) {
    const r = q.rotation || [0], angle = r.length === 1 ? r[0] : Math.atan2(r[2], r[0]);
    const size = q.size || [0.08 * box.size];
    c.save();
    c.translate(X(q.from[0]), Y(q.from[1]));
    c.rotate(-angle);
    c.fillStyle = c.strokeStyle = theme.colour(s.colour);
    c.lineWidth = 1.5;
    c.beginPath();
    if (q.form === 'box' || q.form === 'cylinder') {
      const w = Math.max(3, view.scale * size[0]), h = Math.max(3, view.scale * (size[1] || size[0]));
      c.rect(-w / 2, -h / 2, w, h);
    } else {
      const radius = Math.max(3, view.scale * size[0] / 2);
      c.arc(0, 0, radius, 0, 7);
      c.moveTo(0, 0);
      c.lineTo(radius, 0);
    }
    c.globalAlpha = 0.28;
    c.fill();
    c.globalAlpha = 1;
    c.stroke();
    c.restore();
  }

  function disc(c, p, radius, fill) {
    c.beginPath();
    c.arc(X(p[0]), Y(p[1]), radius, 0, 7);
    c.fillStyle = fill;
    c.fill();
  }

  function draw() {
    const w = stage.clientWidth, h = stage.clientHeight, d = window.devicePixelRatio || 1;
    if (!view.own) fit();
    if (canvas.width !== Math.round(w * d) || canvas.height !== Math.round(h * d)) {
      canvas.width = Math.round(w * d);
      canvas.height = Math.round(h * d);
    }
    const c = canvas.getContext('2d'), frame = frameAt(clock.t);
    c.setTransform(d, 0, 0, d, 0, 0);
    c.clearRect(0, 0, w, h);
    c.font = '11px system-ui, sans-serif';
    c.lineJoin = c.lineCap = 'round';
    drawGrid(c, w, h);
    const now = shapes.map((s) => shapeAt(s, frame)), ink = theme.css('ink');
    shapes.forEach((s) => { if (s.kind === 'trace') drawTrace(c, s, frame); });
    shapes.forEach((s, k) => { if (s.kind === 'body') drawBody(c, s, now[k]); });
    now.forEach((q) => {
      c.strokeStyle = ink;
      c.lineWidth = q.kind === 'rod' ? 4 : 1.6;
      c.globalAlpha = q.kind === 'rod' ? 0.75 : 0.9;
      if (q.kind === 'rod') { c.beginPath(); c.moveTo(X(q.from[0]), Y(q.from[1])); c.lineTo(X(q.to[0]), Y(q.to[1])); c.stroke(); }
      if (q.kind === 'spring') drawSpring(c, q.from, q.to);
      c.globalAlpha = 1;
      if (q.kind === 'rod') for (const end of [q.from, q.to]) { disc(c, end, 4.5, ink); disc(c, end, 2.2, theme.css('card')); }
    });
    shapes.forEach((s, k) => { if (s.kind === 'point') disc(c, now[k].from, 8, theme.colour(s.colour)); });
  }

  const plane = { draw, reset() { fit(); draw(); }, resize: draw };
  let listening = false;

  function planar() {
    if (listening) return plane;
    listening = true;
    let grab = null;
    stage.addEventListener('pointerdown', (e) => { grab = [e.clientX - view.x, e.clientY - view.y]; stage.setPointerCapture(e.pointerId); });
    stage.addEventListener('pointermove', (e) => {
      if (!grab || scene !== plane) return;
      view.own = true;
      view.x = e.clientX - grab[0];
      view.y = e.clientY - grab[1];
      draw();
    });
    stage.addEventListener('pointerup', () => { grab = null; });
    stage.addEventListener('wheel', (e) => {
      if (scene !== plane) return;
      e.preventDefault();
      const at = stage.getBoundingClientRect(), px = e.clientX - at.left, py = e.clientY - at.top;
      const f = Math.exp(-0.0015 * e.deltaY);
      view.own = true;
      view.scale *= f;
      view.x = px + (view.x - px) * f;
      view.y = py + (view.y - py) * f;
      draw();
    }, { passive: false });
    return plane;
  }

  /* ---- play, pause, scrub, speed ---- */

  const play = document.getElementById('play'), scrub = document.getElementById('scrub');
  const speed = document.getElementById('speed'), now = document.getElementById('now');
  const player = { playing: false, last: 0, pace: 1 };

  function tick(stamp) {
    if (!player.playing) return;
    const dt = player.last ? Math.min(0.1, (stamp - player.last) / 1000) : 0; // no leap after a pause of the browser
    player.last = stamp;
    clock.set(clock.t + dt * player.pace * Number(speed.value));
    if (clock.t >= clock.to) setPlaying(false);
    else requestAnimationFrame(tick);
  }
  function setPlaying(on) {
    if (on && clock.t >= clock.to) clock.set(clock.from);
    player.playing = on;
    player.last = 0;
    play.textContent = on ? '❚❚' : '▶';
    play.setAttribute('aria-label', on ? 'pause' : 'play');
    if (on) requestAnimationFrame(tick);
  }

  let scene = null, pictured = ''; // who draws, and what

  /* A run of a microsecond or of a year is shown in about ten seconds at speed 1. */
  function setRange() {
    const span = clock.to - clock.from;
    player.pace = span >= 1 && span <= 60 ? 1 : span / 10;
    scrub.min = clock.from;
    scrub.max = clock.to;
  }

  function listen() {
    scrub.addEventListener('input', () => { setPlaying(false); clock.set(Number(scrub.value)); });
    play.addEventListener('click', () => setPlaying(!player.playing));
    document.getElementById('view').addEventListener('click', () => scene.reset());
    document.addEventListener('keydown', (e) => {
      if (e.key !== ' ' || /^(BUTTON|INPUT|SELECT|SUMMARY|TEXTAREA)$/.test(e.target.tagName)) return;
      e.preventDefault();
      setPlaying(!player.playing);
    });
    clock.listeners.push(() => {
      scrub.value = clock.t;
      now.textContent = 't = ' + show(clock.t, 4) + ' s';
      scene.draw();
    });
    theme.listeners.push(() => scene.draw());
    new ResizeObserver(() => scene.resize()).observe(stage);
  }

  const draws = () => (solid && window.THREE && vincolo.solid && vincolo.solid(shapes, shapeAt, frameAt, box, times)) || planar();

  /* What there is to be seen in the data, now; a view that the user has chosen stays. */
  function build() {
    const motion = document.getElementById('motion'), before = solid;
    motion.hidden = !take(vincolo.data.scene);
    if (motion.hidden) return null;
    const first = !scene, kinds = JSON.stringify(shapes.map((s) => [s.kind, s.form, s.n]));
    if (first || solid || before || kinds !== pictured) {
      if (scene && scene.leave) scene.leave();
      scene = draws();
    }
    pictured = kinds;
    if (first) listen();
    setRange();
    clock.set(clock.t);
    return scene;
  }

  return { build, places, player, setPlaying, get times() { return times; }, get shapes() { return shapes; } };
})();
