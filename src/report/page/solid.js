/* The moving model in space: three.js draws it, the mouse turns it.
 * SPDX-License-Identifier: BSD-3-Clause */
'use strict';

vincolo.solid = (() => {
  const { theme, clock, rowAt, forms } = vincolo;
  let kept = null; // the canvas and what listens to it, once; the eye, from one model to the next

  function begin() {
    const stage = document.getElementById('stage'), canvas = document.createElement('canvas');
    let renderer;
    try {
      renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
    } catch (e) {
      return null;
    }
    stage.append(canvas);
    renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
    const here = { stage, canvas, renderer, eye: null, scene: null };
    const moved = () => { here.scene.aim(); here.scene.draw(); };
    let grab = null;
    stage.addEventListener('pointerdown', (e) => { grab = [e.clientX, e.clientY]; stage.setPointerCapture(e.pointerId); });
    stage.addEventListener('pointerup', () => { grab = null; });
    stage.addEventListener('pointermove', (e) => {
      if (!grab || !here.scene) return;
      here.eye.azimuth -= 0.008 * (e.clientX - grab[0]);
      here.eye.height = Math.min(1.55, Math.max(-1.55, here.eye.height + 0.008 * (e.clientY - grab[1])));
      grab = [e.clientX, e.clientY];
      moved();
    });
    stage.addEventListener('wheel', (e) => {
      if (!here.scene) return;
      e.preventDefault();
      here.eye.distance *= Math.exp(0.0012 * e.deltaY);
      moved();
    }, { passive: false });
    theme.listeners.push(() => { if (here.scene) here.scene.paint(); });
    return here;
  }

  /* Returns what scene.js drives, or null where the browser draws no solids. */
  return (shapes, shapeAt, frameAt, box, times) => {
    kept = kept || begin();
    if (!kept) return null;
    const { stage, canvas, renderer } = kept, flat = document.getElementById('flat');
    canvas.hidden = false;
    flat.hidden = true;

    const world = new THREE.Scene(), camera = new THREE.PerspectiveCamera(35, 1, box.size / 100, box.size * 100);
    camera.up.set(0, 0, 1);
    world.add(new THREE.HemisphereLight(0xffffff, 0x9098a0, 0.85));
    const sun = new THREE.DirectionalLight(0xffffff, 0.55);
    world.add(sun);
    const centre = new THREE.Vector3(...box.lo.map((l, k) => (l + box.hi[k]) / 2));
    const unit = box.size, thick = 0.012 * box.model;

    /* ---- the floor, with lines at round numbers ---- */

    let floor = null;
    function makeFloor() {
      if (floor) world.remove(floor);
      const raw = unit / 8, p = Math.pow(10, Math.floor(Math.log10(raw)));
      const step = [1, 2, 5, 10].map((m) => m * p).find((s) => s >= raw), n = 2 * Math.ceil(unit / step);
      floor = new THREE.GridHelper(n * step, n, theme.css('line'), theme.css('grid'));
      floor.rotation.x = Math.PI / 2;
      floor.position.set(Math.round(centre.x / step) * step, Math.round(centre.y / step) * step, box.lo[2] - 0.02 * unit);
      world.add(floor);
    }

    /* ---- shapes ---- */

    const materials = [];
    function material(colour, opacity = 1) {
      const m = new THREE.MeshPhongMaterial({ shininess: 30, transparent: opacity < 1, opacity });
      materials.push(() => m.color.set(colour === null ? theme.css('soft') : Array.isArray(colour) ? `rgb(${colour.map(Math.round)})` : theme.colour(colour)));
      return m;
    }
    const stick = new THREE.CylinderGeometry(1, 1, 1, 20), ball = new THREE.SphereGeometry(1, 28, 20);
    stick.rotateX(Math.PI / 2); // along z: lookAt turns z

    function makeTrace(s) {
      const n = times.length, points = new Float32Array(3 * n);
      for (let i = 0; i < n; i++)
        for (let k = 0; k < 3; k++) points[3 * i + k] = k < s.n ? s.values[k][s.values[k].length === 1 ? 0 : i] : 0;
      const lines = [0.25, 0.95].map((opacity) => {
        const g = new THREE.BufferGeometry();
        g[g.setAttribute ? 'setAttribute' : 'addAttribute']('position', new THREE.BufferAttribute(points, 3));
        const m = new THREE.LineBasicMaterial({ transparent: true, opacity });
        materials.push(() => m.color.set(theme.colour(s.colour)));
        const line = new THREE.Line(g, m);
        line.frustumCulled = false;
        world.add(line);
        return line;
      });
      return () => {
        const from = rowAt(times, clock.t - 0.15 * (clock.to - clock.from)), to = rowAt(times, clock.t);
        lines[1].geometry.setDrawRange(from, to - from + 1);
      };
    }

    function makeStick(s) {
      const mesh = new THREE.Mesh(stick, material(null)), ends = [0, 1].map(() => new THREE.Mesh(ball, material(null)));
      ends.forEach((e) => { e.scale.setScalar(1.6 * thick); world.add(e); });
      world.add(mesh);
      const width = s.kind === 'spring' ? 0.4 * thick : thick;
      return (q) => {
        const a = new THREE.Vector3(...q.from), b = new THREE.Vector3(...q.to);
        ends[0].position.copy(a);
        ends[1].position.copy(b);
        mesh.position.copy(a).add(b).multiplyScalar(0.5);
        mesh.scale.set(width, width, Math.max(1e-9 * unit, a.distanceTo(b)));
        mesh.lookAt(b);
      };
    }

    /* A spring with a width is a coil; made for its first length, it is stretched with both ends. */
    function makeSpring(s) {
      if (!s.size) return makeStick(s);
      const first = shapeAt(s, frameAt(times[0])), [width, height] = first.size;
      const length = new THREE.Vector3(...first.from).distanceTo(new THREE.Vector3(...first.to)) || unit;
      const mesh = new THREE.Mesh(forms.coil(width, Math.min(height / 2 || width / 10, width / 3), s.extra, length), material(s.rgb || null));
      world.add(mesh);
      return (q) => {
        const b = new THREE.Vector3(...q.to);
        mesh.position.set(...q.from);
        mesh.scale.set(1, 1, Math.max(1e-9 * unit, mesh.position.distanceTo(b)));
        mesh.lookAt(b);
      };
    }

    function makeBody(s) {
      const form = s.form || 'sphere', size = (q) => q.size || [0.12 * unit];
      const geometry = forms.geometry(form, s.extra, size(shapeAt(s, frameAt(times[0]))));
      const mesh = new THREE.Mesh(geometry, material(s.rgb || s.colour, form === 'file' ? 0.55 : form === 'sphere' || s.rgb ? 1 : 0.9));
      world.add(mesh);
      return (q) => {
        const r = q.rotation;
        mesh.scale.set(...forms.scale(form, size(q)).map((x) => Math.max(Math.abs(x), 1e-9 * unit)));
        mesh.position.set(...q.from);
        const m = new THREE.Matrix4();
        if (r && r.length === 9) m.set(r[0], r[1], r[2], 0, r[3], r[4], r[5], 0, r[6], r[7], r[8], 0, 0, 0, 0, 1);
        else if (r) m.makeRotationZ(r.length === 1 ? r[0] : Math.atan2(r[2], r[0]));
        mesh.quaternion.setFromRotationMatrix(m);
      };
    }

    function makePoint(s) {
      const mesh = new THREE.Mesh(ball, material(s.colour));
      mesh.scale.setScalar(2.6 * thick);
      world.add(mesh);
      return (q) => mesh.position.set(...q.from);
    }
    const makers = { trace: makeTrace, rod: makeStick, spring: makeSpring, body: makeBody, point: makePoint };
    const moves = shapes.map((s) => makers[s.kind](s));

    /* ---- the camera ---- */

    const wide = { azimuth: -0.9, height: 0.42, distance: 2.05 };
    const eye = kept.eye = kept.eye || { ...wide }; // distance in units of the model
    function aim() {
      const c = Math.cos(eye.height);
      const far = eye.distance * unit;
      camera.position.set(centre.x + far * c * Math.cos(eye.azimuth), centre.y + far * c * Math.sin(eye.azimuth),
        centre.z + far * Math.sin(eye.height));
      camera.lookAt(centre);
      sun.position.copy(camera.position).add(new THREE.Vector3(0, 0, unit));
    }
    function draw() {
      const frame = frameAt(clock.t);
      shapes.forEach((s, k) => moves[k](shapeAt(s, frame)));
      renderer.render(world, camera);
    }
    function resize() {
      const w = stage.clientWidth, h = stage.clientHeight;
      renderer.setSize(w, h, false);
      camera.aspect = w / h;
      camera.updateProjectionMatrix();
      draw();
    }
    function paint() { materials.forEach((f) => f()); makeFloor(); }

    function leave() {
      kept.scene = null;
      world.traverse((o) => { if (o.geometry) o.geometry.dispose(); if (o.material) o.material.dispose(); });
      canvas.hidden = true;
      flat.hidden = false;
    }

    paint();
    aim();
    const scene = { draw, resize, aim, paint, eye, leave, reset() { Object.assign(eye, wide); aim(); draw(); } };
    kept.scene = scene;
    if (canvas.width > 1 && stage.clientWidth) resize();
    return scene;
  };
})();
