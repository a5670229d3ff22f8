/* Shapes of solids: what a body looks like whose length lies along x, from its middle.
 * Sizes are length, width, height; extra: see the visualisers of the Modelica Standard Library, whose forms these are.
 * SPDX-License-Identifier: BSD-3-Clause */
'use strict';

vincolo.forms = (() => {
  const clamp = (x, lo, hi) => Math.min(hi, Math.max(lo, x));
  const along = (g) => g.rotateZ(Math.PI / 2); // three.js has axes along y, from the end to the beginning

  /* A section in the plane of width and height, of diameter 1, as long as the shape. */
  function extrude(section) {
    const g = new THREE.ExtrudeGeometry(section, { depth: 1, bevelEnabled: false, curveSegments: 32 });
    g.translate(0, 0, -0.5);
    g.rotateY(Math.PI / 2);
    return g;
  }
  function ring(hollow) {
    const section = new THREE.Shape();
    section.absarc(0, 0, 0.5, 0, 2 * Math.PI, false);
    if (hollow > 0.01) {
      const hole = new THREE.Path();
      hole.absarc(0, 0, 0.5 * Math.min(hollow, 0.98), 0, 2 * Math.PI, true);
      section.holes.push(hole);
    }
    return extrude(section);
  }

  /* Teeth outside, or inside a rim for a negative number. */
  function gear(teeth) {
    const n = clamp(Math.round(Math.abs(teeth)) || 20, 3, 200), depth = Math.min(0.06, 1 / n), inside = teeth < 0;
    const outline = [];
    for (let k = 0; k < n; k++)
      for (const [part, high] of [[0, 0], [0.2, 1], [0.5, 1], [0.7, 0]]) {
        const a = 2 * Math.PI * (k + part) / n, r = 0.5 - depth * (high ? 0 : 1);
        outline.push(new THREE.Vector2(r * Math.cos(a), r * Math.sin(a)));
      }
    if (!inside) return extrude(new THREE.Shape(outline));
    const rim = new THREE.Shape();
    rim.absarc(0, 0, 0.56, 0, 2 * Math.PI, false);
    rim.holes.push(new THREE.Path(outline.reverse()));
    return extrude(rim);
  }

  /* A bar with round ends: its length goes from the middle of one to that of the other. */
  function beam(size) {
    const half = 0.5 * (size[1] || size[0]), length = size[0], section = new THREE.Shape();
    section.absarc(length / 2, 0, half, -Math.PI / 2, Math.PI / 2, false);
    section.absarc(-length / 2, 0, half, Math.PI / 2, 1.5 * Math.PI, false);
    const g = new THREE.ExtrudeGeometry(section, { depth: size[2] || size[1], bevelEnabled: false, curveSegments: 24 });
    g.translate(0, 0, -(size[2] || size[1]) / 2);
    return g.scale(1 / length, 1 / (size[1] || size[0]), 1 / (size[2] || size[1]));
  }

  const made = {
    box: () => new THREE.BoxGeometry(1, 1, 1),
    file: () => new THREE.BoxGeometry(1, 1, 1), // its size is known, not its shape
    beam: (extra, size) => beam(size),
    sphere: () => new THREE.SphereGeometry(0.5, 28, 20),
    cylinder: () => along(new THREE.CylinderGeometry(0.5, 0.5, 1, 32)),
    // what is drawn at the end of an arrow: the base at the beginning
    cone: (extra) => along(new THREE.CylinderGeometry(0.5, 0.5 * clamp(extra, 0, 1), 1, 32)),
    pipe: (extra) => ring(extra),
    pipecylinder: (extra) => ring(extra),
    gearwheel: (extra) => gear(extra),
  };
  const geometry = (form, extra, size) => (made[form] || made.sphere)(extra || 0, size);

  /* From a size that lists what a form needs to that along x, y, z. */
  function scale(form, size) {
    if (form === 'sphere') return [size[0], size[0], size[0]];
    const width = size[1] || size[0];
    return [size[0], width, form === 'cylinder' ? width : size[2] || width];
  }

  /* A coil along z from 0 to 1; width and thickness as they are. */
  function coil(width, wire, turns, length) {
    const points = [], n = clamp(Math.round(turns) || 6, 1, 60), radius = Math.max(width - wire, wire) / 2, steps = 14 * n;
    for (let k = 0; k <= steps; k++) {
      const a = 2 * Math.PI * n * k / steps;
      points.push(new THREE.Vector3(radius * Math.cos(a), radius * Math.sin(a), length * k / steps));
    }
    const g = new THREE.TubeGeometry(new THREE.CatmullRomCurve3(points), steps, wire / 2, 6, false);
    return g.scale(1, 1, 1 / length);
  }

  return { geometry, scale, coil };
})();
