/* Curves: panels over the time (dygraphs), which zoom and point together, and phase plots.
 * SPDX-License-Identifier: BSD-3-Clause */
'use strict';

vincolo.plots = (() => {
  const { theme, clock, show, rowAt, element } = vincolo;
  let charts = []; // those over the time
  let phases = [], built = null;
  let syncing = false;

  /* The unit as it is typeset: kg.m2/s becomes kg·m²/s. */
  function unitText(unit) {
    return unit.replace(/\./g, '·').replace(/(?<=[A-Za-z])-?[0-9]+/g, (n) =>
      n.replace(/[0-9-]/g, (d) => '⁰¹²³⁴⁵⁶⁷⁸⁹⁻'['0123456789-'.indexOf(d)]));
  }

  function together(source, act) {
    if (syncing) return;
    syncing = true;
    for (const c of charts) if (c !== source) act(c);
    syncing = false;
  }

  /* ---- panels over the time ---- */

  function rowsOf(columns) {
    const n = columns[0].values.length, rows = new Array(n);
    for (let i = 0; i < n; i++) {
      const row = new Array(columns.length);
      for (let k = 0; k < columns.length; k++) row[k] = columns[k].values[i];
      rows[i] = row;
    }
    return rows;
  }

  /* Marks at powers of ten, and at 2 and 5 where there is room. */
  function logTicks(lo, hi, pixels) {
    const out = [], a = Math.floor(Math.log10(lo)), b = Math.ceil(Math.log10(hi)), room = pixels / Math.max(1, b - a);
    const every = Math.max(1, Math.ceil(26 / room)), parts = room > 90 ? [1, 2, 5] : [1];
    for (let k = a; k <= b; k++) {
      if (((k % every) + every) % every) continue;
      for (const m of parts) {
        const v = m * Math.pow(10, k);
        if (v >= lo && v <= hi) out.push({ v, label: show(v, 2) });
      }
    }
    return out;
  }

  function drawEvents(ctx, area, g) {
    const events = vincolo.data.events;
    if (!events.length) return;
    const [lo, hi] = g.xAxisRange();
    const inside = events.filter((t) => t >= lo && t <= hi);
    if (inside.length > 150) return;
    ctx.strokeStyle = theme.css('soft');
    ctx.globalAlpha = 0.55;
    ctx.setLineDash([2, 3]);
    ctx.beginPath();
    for (const t of inside) {
      const x = Math.round(g.toDomXCoord(t)) + 0.5;
      ctx.moveTo(x, area.y);
      ctx.lineTo(x, area.y + area.h);
    }
    ctx.stroke();
    ctx.setLineDash([]);
    ctx.globalAlpha = 1;
  }

  function chip(chart, k, column, right) {
    const value = element('b');
    const button = element('button', { class: 'chip', 'aria-pressed': 'true', title: column.comment || 'show or hide' },
      column.name, value);
    if (column.unit) value.before(element('i', { text: unitText(column.unit) + (right ? ' →' : '') }));
    button.addEventListener('click', () => {
      const on = button.getAttribute('aria-pressed') !== 'true';
      button.setAttribute('aria-pressed', String(on));
      chart.g.setVisibility(k, on);
    });
    return { button, value };
  }

  /* columns[0] is the time. options: title, log, small, right (indices of curves), colour (first). */
  function timePanel(host, columns, options = {}) {
    const chart = { columns, chips: [], log: !!options.log };
    const head = element('div', { class: 'panel-head' });
    const area = element('div', { class: 'area' }), cursor = element('div', { class: 'cursor' });
    const box = element('div', { class: 'chart' + (options.small ? ' small' : '') }, area, cursor);
    host.append(element('div', { class: 'card panel' }, head, box));
    if (options.title) head.append(element('span', { class: 'name', text: options.title }));
    const right = options.right || [];
    const series = {};
    columns.slice(1).forEach((c, k) => {
      series[c.name] = { axis: right.includes(k) ? 'y2' : 'y', stepPlot: c.kind !== 'real' };
    });
    const colours = () => columns.slice(1).map((_, k) => theme.colour(k + (options.colour || 0)));
    const look = () => ({
      colors: colours(), gridLineColor: theme.css('grid'), axisLineColor: theme.css('line'),
    });
    const named = columns[1] && columns[1].literals; // of an enumeration, where all curves are of it
    const literals = named && columns.slice(1).every((c) => String(c.literals) === String(named)) ? named : null;
    if (literals) chart.literals = literals;
    const ticker = (a, b, pixels, opts, g, values) => (literals ? literals.map((label, k) => ({ v: k + 1, label })) :
      chart.log ? logTicks(a, b, pixels) : Dygraph.numericTicks(a, b, pixels, opts, g, values));
    chart.g = new Dygraph(area, rowsOf(columns), {
      labels: columns.map((c) => c.name), series, legend: 'never', strokeWidth: 1.6, highlightCircleSize: 3,
      labelsDiv: element('div'), logscale: chart.log, yRangePad: chart.log ? 0 : 8, xRangePad: 2,
      digitsAfterDecimal: 6, animatedZooms: false, ...look(),
      axes: {
        x: { axisLabelFormatter: (x) => show(x), axisLineWidth: 1, axisLabelWidth: 70 },
        y: { axisLabelFormatter: (y) => show(y, 4), axisLabelWidth: literals ? 90 : 62, pixelsPerLabel: 32, ticker },
        y2: { axisLabelFormatter: (y) => show(y, 4), axisLabelWidth: 62, drawGrid: false, independentTicks: true },
      },
      underlayCallback: drawEvents,
      zoomCallback: (lo, hi) => together(chart, (c) => c.g.updateOptions({ dateWindow: [lo, hi] })),
      drawCallback: () => { if (chart.g) chart.place(); },
      highlightCallback: (e, x) => {
        readout(chart, x);
        together(chart, (c) => {
          readout(c, x);
          c.g.setSelection(rowAt(c.columns[0].values, x));
        });
      },
      unhighlightCallback: () => { for (const c of charts) { c.g.clearSelection(); readout(c, null); } },
      clickCallback: (e, x) => clock.set(x),
    });
    chart.place = () => {
      const x = chart.g.toDomXCoord(clock.t), inside = chart.g.getArea();
      cursor.style.left = x + 'px';
      cursor.hidden = !(x >= inside.x && x <= inside.x + inside.w);
    };
    const paint = () => chart.chips.forEach((c, k) => c.button.style.setProperty('--colour', colours()[k]));
    columns.slice(1).forEach((c, k) => {
      chart.chips.push(chip(chart, k, c, right.includes(k)));
      head.append(chart.chips[k].button);
    });
    head.append(element('span', { class: 'space' }), logButton(chart));
    paint();
    chart.repaint = () => { chart.g.updateOptions(look()); paint(); };
    chart.take = (now) => {
      chart.columns = now;
      chart.g.updateOptions({ file: rowsOf(now) });
    };
    charts.push(chart);
    chart.place();
    return chart;
  }

  function logButton(chart) {
    const b = element('button', { class: 'tool', 'aria-pressed': String(chart.log), text: 'log', title: 'logarithmic ordinate' });
    b.addEventListener('click', () => {
      chart.log = !chart.log;
      b.setAttribute('aria-pressed', String(chart.log));
      chart.g.updateOptions({ logscale: chart.log, yRangePad: chart.log ? 0 : 8 });
    });
    return b;
  }

  function readout(chart, x) {
    const row = x === null ? -1 : rowAt(chart.columns[0].values, x);
    chart.chips.forEach((c, k) => {
      const column = chart.columns[k + 1], value = row < 0 ? null : column.values[row];
      c.value.textContent = row < 0 ? '' : (column.literals && column.literals[value - 1]) || show(value);
    });
  }

  /* ---- phase plots ---- */

  function ticks(lo, hi, most) {
    const raw = (hi - lo) / most, p = Math.pow(10, Math.floor(Math.log10(raw)));
    const step = [1, 2, 5, 10].map((m) => m * p).find((s) => s >= raw), out = [];
    for (let k = Math.ceil(lo / step - 1e-9); k * step <= hi + 1e-9 * step; k++) out.push(k * step);
    return out;
  }

  function extent(arrays) {
    let lo = Infinity, hi = -Infinity;
    for (const a of arrays) for (const x of a) if (Number.isFinite(x)) { if (x < lo) lo = x; if (x > hi) hi = x; }
    if (!(hi > lo)) return [lo - 1 || -1, lo + 1 || 1];
    return [lo - 0.05 * (hi - lo), hi + 0.05 * (hi - lo)];
  }

  function phasePanel(host, panel) {
    let pairs, times, x0, x1, y0, y1;
    function take(now) {
      pairs = now.curves.map((c) => ({ x: now.columns[c.x], y: now.columns[c.y] }));
      times = now.columns[0].values;
      [x0, x1] = extent(pairs.map((p) => p.x.values));
      [y0, y1] = extent(pairs.map((p) => p.y.values));
    }
    take(panel);
    const canvas = element('canvas', { class: 'phase' });
    const head = element('div', { class: 'panel-head' });
    const box = element('div', { class: 'chart square' }, canvas);
    host.append(element('div', { class: 'card panel' }, head, box));
    const on = pairs.map(() => true);
    const buttons = pairs.map((p, k) => element('button', {
      class: 'chip', 'aria-pressed': 'true', text: p.y.name + ' over ' + p.x.name,
      onclick: () => { on[k] = !on[k]; buttons[k].setAttribute('aria-pressed', String(on[k])); draw(); },
    }));
    head.append(...buttons);
    const same = pairs.every((p) => p.x.unit === p.y.unit && p.x.unit === pairs[0].x.unit);

    function draw() {
      const w = box.clientWidth, h = box.clientHeight, d = window.devicePixelRatio || 1, edge = [64, 10, 14, 36];
      canvas.width = w * d;
      canvas.height = h * d;
      const c = canvas.getContext('2d');
      c.scale(d, d);
      c.font = '12px system-ui, sans-serif';
      let sx = (w - edge[0] - edge[2]) / (x1 - x0), sy = (h - edge[1] - edge[3]) / (y1 - y0);
      if (same) sx = sy = Math.min(sx, sy);
      const ox = edge[0], oy = h - edge[3], X = (x) => ox + (x - x0) * sx, Y = (y) => oy - (y - y0) * sy;
      c.strokeStyle = theme.css('grid');
      c.fillStyle = theme.css('soft');
      c.textAlign = 'center';
      for (const t of ticks(x0, x1, 6)) { line(c, X(t), oy, X(t), Y(y1)); c.fillText(show(t, 4), X(t), oy + 16); }
      c.textAlign = 'right';
      for (const t of ticks(y0, y1, 6)) { line(c, ox, Y(t), X(x1), Y(t)); c.fillText(show(t, 4), ox - 6, Y(t) + 4); }
      c.textAlign = 'center';
      c.fillText(pairs[0].x.name + (pairs[0].x.unit ? ' (' + unitText(pairs[0].x.unit) + ')' : ''), (ox + X(x1)) / 2, oy + 32);
      pairs.forEach((p, k) => {
        buttons[k].style.setProperty('--colour', theme.colour(k));
        if (!on[k]) return;
        c.strokeStyle = c.fillStyle = theme.colour(k);
        c.lineWidth = 1.6;
        c.lineJoin = 'round';
        c.beginPath();
        let pen = false;
        for (let i = 0; i < times.length; i++) {
          const x = X(p.x.values[i]), y = Y(p.y.values[i]), fine = Number.isFinite(x) && Number.isFinite(y);
          if (fine && pen) c.lineTo(x, y);
          else if (fine) c.moveTo(x, y);
          pen = fine;
        }
        c.stroke();
        const i = rowAt(times, clock.t);
        c.beginPath();
        c.arc(X(p.x.values[i]), Y(p.y.values[i]), 4.5, 0, 7);
        c.fill();
        c.lineWidth = 1;
      });
    }
    function line(c, ax, ay, bx, by) {
      c.beginPath();
      c.moveTo(ax, ay);
      c.lineTo(bx, by);
      c.stroke();
    }
    phases.push({ draw, take: (now) => { take(now); draw(); } });
    new ResizeObserver(draw).observe(box);
    draw();
  }

  theme.listeners.push(() => { charts.forEach((c) => c.repaint()); phases.forEach((p) => p.draw()); });
  clock.listeners.push(() => { charts.forEach((c) => c.place()); phases.forEach((p) => p.draw()); });

  /* ---- all panels ---- */

  const isPhase = (panel) => panel.curves.some((c) => c.x !== 0);
  const overTime = (panel) => [panel.columns[0], ...panel.curves.map((c) => panel.columns[c.y])];

  function build(host) {
    vincolo.data.panels.forEach((panel) => {
      if (!panel.curves.length) return;
      if (isPhase(panel)) { phasePanel(host, panel); return; }
      const right = [];
      panel.curves.forEach((c, k) => { if (c.right) right.push(k); });
      timePanel(host, overTime(panel), { right });
    });
  }

  /* The curves of new data in the panels that are there, where they are of the same variables; else new panels. */
  function update(host) {
    const panels = vincolo.data.panels.filter((p) => p.curves.length);
    const layout = JSON.stringify(panels.map((p) => [p.curves, p.columns.map((c) => [c.name, c.unit, c.kind, c.comment])]));
    if (layout !== built) {
      charts.forEach((c) => c.g.destroy());
      charts = [];
      phases = [];
      host.replaceChildren();
      build(host);
      built = layout;
      return;
    }
    let over = 0, phase = 0;
    panels.forEach((p) => { if (isPhase(p)) phases[phase++].take(p); else charts[over++].take(overTime(p)); });
  }

  /* Constraint violation, energy, step size and order, of every accepted step. */
  function buildQuality(host) {
    const { data } = vincolo, s = data.steps;
    if (!s) return;
    const by = (name) => s.columns.find((c) => c.name === name);
    const levels = ['position', 'velocity', 'acceleration'].map(by)
      .filter((c) => c && c.values.some((x) => x > 0))
      .map((c) => ({ ...c, values: c.values.map((x) => Math.max(x, 1e-18)) })); // zero has no logarithm
    if (levels.length) timePanel(host, [s.columns[0], ...levels], { title: 'Constraint violation', log: true, small: true });
    const energy = by('energy');
    if (energy) {
      const e0 = data.run && data.run.energy ? data.run.energy.initial : energy.values[0];
      timePanel(host, [s.columns[0], { ...energy, name: 'E − E(0)', values: energy.values.map((e) => e - e0) }],
        { title: 'Energy', small: true, colour: 2 });
    }
    const kept = ((data.run && data.run.invariants) || []).map((x) => {
      const c = by('invariant ' + x.name), size = x.relative > 0 ? x.change / x.relative : 1;
      return c && { ...c, name: x.name, values: c.values.map((v) => Math.max(Math.abs(v - x.start) / size, 1e-17)) };
    }).filter(Boolean);
    if (kept.length) timePanel(host, [s.columns[0], ...kept], { title: 'Drift of invariants, relative', log: true, small: true });
    const order = by('order').values, varies = order.some((k) => k !== order[0]);
    timePanel(host, [s.columns[0], { ...by('step'), name: 'step size' }],
      { title: varies ? 'Step size' : 'Step size, order ' + order[0], log: true, small: true, colour: 1 });
    if (varies) timePanel(host, [s.columns[0], by('order')], { title: 'Order', small: true, colour: 3 });
  }

  return { build, update, buildQuality, extent, unitText, get charts() { return charts; } };
})();
