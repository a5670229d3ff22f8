/* The live page: what is typed and dragged goes to the engine, what it answers is shown. One question at a time; while
 * one is answered, only the newest of those that follow is kept.
 * SPDX-License-Identifier: BSD-3-Clause */
'use strict';

vincolo.live = (() => {
  const { element, show, rowAt } = vincolo;
  const at = (id) => document.getElementById(id);
  const values = new Map(); // by name, those that are not as written
  let given = null, editor = null, chosen = null; // chosen: names of variables, null: as the engine likes
  let over = ''; // the variable that they are drawn over, '': the time
  let sliders = [], widgets = [], pinned = null;
  const seen = { asked: 0 };

  /* ---- asking ---- */

  function wanted() { return chosen ? chosen.map((n) => (over ? over + ':' : '') + n).join(';') : given.vars; }

  function request() {
    const lines = [];
    values.forEach((value, name) => lines.push('set ' + name + ' ' + value));
    for (const id of ['method', 'formulation', 'stop', 'tol']) {
      const value = at(id).value.trim();
      if (value && !at(id).classList.contains('wrong')) lines.push(id + ' ' + value);
    }
    const vars = wanted();
    if (vars) lines.push('vars ' + vars);
    const text = new TextEncoder().encode(editor.getValue());
    const head = new TextEncoder().encode(lines.map((l) => l + '\n').join('') + 'text ' + text.length + '\n');
    const body = new Uint8Array(head.length + text.length);
    body.set(head);
    body.set(text, head.length);
    return body;
  }

  /* An answer takes a few milliseconds. Where one takes longer than PATIENCE, and twice as long as the last one, what has
   * changed since then is asked all the same: the engine gives up the older question. */
  const PATIENCE = 250, PATIENCE_MOST = 3000;
  let busy = false, again = false, begun = 0, hurry = 0, lasted = 0;
  function ask() {
    if (!busy) { send(); return; }
    again = true;
    clearTimeout(hurry);
    hurry = setTimeout(() => { if (busy && again) send(); }, Math.max(0, Math.min(PATIENCE_MOST, Math.max(PATIENCE, 2 * lasted)) - (performance.now() - begun)));
  }
  async function send() {
    const mine = ++seen.asked;
    busy = true;
    again = false;
    begun = performance.now();
    let reply = null;
    try {
      reply = await vincoloHost.run(request());
    } catch (e) {
      reply = { status: 0, answer: { messages: [{ severity: 'error', line: 0, text: 'the engine does not answer: it has ended (' + e.message + ')' }] } };
    }
    if (mine !== seen.asked) return; // a newer one is on its way
    lasted = performance.now() - begun;
    hand({ ...reply, mine });
    busy = false;
    if (again) send();
  }

  /* An answer is drawn where a frame begins, which leaves all of the frame for it; meanwhile the engine is at the next one.
   * Where drawing has made a frame late, the machine has too much to do, and frames are left free between those with an
   * answer, so that what is dragged moves evenly. A page that nobody sees has no frames. */
  const FRAME_LATE = 25, FREE_MOST = 3; // ms; frames
  let handed = null, free = 0, left = 0;
  function hand(reply) {
    const waits = handed;
    handed = reply;
    if (document.hidden) draw();
    else if (!waits) requestAnimationFrame(frame);
  }
  function frame(t) {
    if (left-- > 0) { requestAnimationFrame(frame); return; }
    draw();
    requestAnimationFrame((next) => { left = free = next - t > FRAME_LATE ? Math.min(FREE_MOST, free + 1) : Math.max(0, free - 1); });
  }
  function draw() {
    const reply = handed;
    handed = null;
    if (!reply) return;
    if (reply.answer) take(reply.answer);
    else if (reply.status !== 409) say([{ severity: 'error', line: 0, text: 'the engine did not understand: ' + reply.status }]);
    document.documentElement.dataset.ready = String(reply.mine);
  }
  document.addEventListener('visibilitychange', () => { if (document.hidden) draw(); });

  /* ---- messages under their lines ---- */

  let said = '';
  function say(messages) {
    const words = JSON.stringify([messages, editor.lineCount()]);
    if (words === said) return;
    said = words;
    editor.operation(() => {
      widgets.forEach((w) => w.clear());
      widgets = [];
      for (const m of messages) {
        if (!m.line || m.file) continue;
        const node = element('div', { class: 'said ' + m.severity, text: m.text + (m.code ? ' [' + m.code + ']' : '') });
        widgets.push(editor.addLineWidget(Math.min(m.line, editor.lineCount()) - 1, node));
      }
    });
    at('elsewhere').replaceChildren(...messages.filter((m) => !m.line || m.file).map((m) =>
      element('li', { class: 'said ' + m.severity, text: (m.file ? m.file + ':' + m.line + ': ' : '') + m.text + (m.code ? ' [' + m.code + ']' : '') })));
  }

  /* ---- sliders ---- */

  function range(s) {
    const v = s.value, size = Math.abs(v) || 1;
    const lo = s.min !== undefined ? s.min : s.max !== undefined ? Math.min(v - size, s.max - size) : v > 0 ? 0 : v < 0 ? -2 * size : -size;
    const hi = s.max !== undefined ? s.max : v < 0 ? 0 : v === 0 ? size : 2 * size;
    return s.min !== undefined && s.max !== undefined && s.max - s.min > 100 * size ? [Math.max(s.min, v - 2 * size), Math.min(s.max, v + 2 * size)] : [lo, hi];
  }

  function setValue(s, value) {
    values.set(s.name, value);
    s.label.classList.add('changed');
    ask();
  }

  function buildSlider(s) {
    const [lo, hi] = range(s), box = element('input', { value: s.value, inputmode: 'decimal', 'aria-label': s.name });
    s.label = element('label', { title: s.comment || '' }, (s.start ? s.name + '(0)' : s.name) + ' ');
    if (s.unit) s.label.append(element('i', { text: vincolo.plots.unitText(s.unit) }));
    s.slider = element('input', s.type === 'boolean' ? { type: 'checkbox' } :
      { type: 'range', min: lo, max: hi, step: s.type === 'integer' ? 1 : (hi - lo) / 500, 'aria-label': s.name });
    if (s.type === 'boolean') s.slider.checked = s.value !== 0;
    else s.slider.value = s.value;
    s.slider.addEventListener('input', () => {
      const v = s.type === 'boolean' ? Number(s.slider.checked) : Number(s.slider.value);
      box.value = String(Number(v.toPrecision(6)));
      setValue(s, v);
    });
    box.addEventListener('change', () => {
      const v = Number(box.value);
      box.classList.toggle('wrong', !Number.isFinite(v) || box.value.trim() === '');
      if (box.classList.contains('wrong')) return;
      if (s.type === 'boolean') s.slider.checked = v !== 0;
      else {
        if (v < Number(s.slider.min)) s.slider.min = v;
        if (v > Number(s.slider.max)) s.slider.max = v;
        s.slider.value = v;
      }
      setValue(s, v);
    });
    return [s.label, s.slider, box];
  }

  /* Sliders stay while they are the same: one is perhaps being dragged. Values of names that are gone are forgotten. */
  function takeSliders(list) {
    const same = list.length === sliders.length && list.every((s, i) =>
      s.name === sliders[i].name && s.type === sliders[i].type && (values.has(s.name) || s.value === sliders[i].value));
    if (same) return;
    const names = new Set(list.map((s) => s.name));
    for (const name of [...values.keys()]) if (!names.has(name)) values.delete(name);
    sliders = list;
    at('sliders').replaceChildren(...list.flatMap(buildSlider));
    sliders.forEach((s) => { if (values.has(s.name)) s.label.classList.add('changed'); });
    if (!list.length) at('sliders').replaceChildren(element('p', { class: 'hint', text: 'The model has no parameters or fixed start values.' }));
  }

  /* ---- variables ---- */

  let listed = '';
  function takeNames(names) {
    const key = names.join('\n');
    if (key === listed) return;
    listed = key;
    if (chosen) chosen = chosen.filter((n) => names.includes(n));
    if (chosen && !chosen.length) chosen = null;
    if (!names.includes(over)) over = '';
    at('over').replaceChildren(...['', ...names].map((n) => element('option', { value: n, text: n || 'time' })));
    at('over').value = over;
    buildNames(names);
  }
  /* Is there a curve of it on the screen? */
  function shownNow(name) {
    return vincolo.data.panels.some((p) => p.curves.some((c) => p.columns[c.y].name === name));
  }
  function buildNames(names) {
    const wanted = at('find').value.toLowerCase(), shown = names.filter((n) => n.toLowerCase().includes(wanted)).slice(0, 300);
    at('names').replaceChildren(...shown.map((n) => {
      const box = element('input', { type: 'checkbox' });
      box.checked = !!chosen && chosen.includes(n);
      box.addEventListener('change', () => {
        chosen = (chosen || []).filter((x) => x !== n);
        if (box.checked) chosen.push(n);
        if (!chosen.length) chosen = null;
        ask();
      });
      return element('label', {}, box, ' ' + n);
    }));
  }

  /* ---- a pinned run: its curves beside the present ones, at their times ---- */

  function resampled(column, times, onto) {
    return Float64Array.from(onto, (t) => {
      const i = rowAt(times, t), last = i + 1 >= times.length;
      if (last || times[i + 1] === times[i]) return t > times[times.length - 1] ? NaN : column[i];
      const part = (t - times[i]) / (times[i + 1] - times[i]);
      return part < 0 ? NaN : column[i] * (1 - part) + column[i + 1] * part;
    });
  }
  function pinnedColumn(name) {
    for (const p of pinned.panels) {
      const c = p.columns.find((x) => x.name === name);
      if (c) return [c, p.columns[0].values];
    }
    return null;
  }
  function addPinned(data) {
    for (const panel of pinned ? data.panels : []) {
      const add = (column) => { // its place; -1: it was not seen when the run was pinned
        const was = pinnedColumn(column.name);
        return was ? panel.columns.push({ ...column, name: column.name + ' pinned', values: resampled(was[0].values, was[1], panel.columns[0].values) }) - 1 : -1;
      };
      for (const curve of [...panel.curves]) {
        const y = add(panel.columns[curve.y]), x = curve.x === 0 || y < 0 ? 0 : add(panel.columns[curve.x]);
        if (x >= 0 && y >= 0) panel.curves.push({ ...curve, x, y });
      }
    }
  }
  at('pin').addEventListener('click', () => {
    pinned = pinned || !vincolo.data ? null : { panels: vincolo.data.panels.map((p) => ({ columns: p.columns.filter((c) => !c.name.endsWith(' pinned')) })) };
    at('pin').setAttribute('aria-pressed', String(!!pinned));
    ask();
  });

  /* ---- answers ---- */

  function hint(id, text) { if (at(id).placeholder !== text) at(id).placeholder = text; }
  function fill(id, first, names) {
    const select = at(id);
    if (select.options.length > 1) return;
    select.replaceChildren(...['', ...names].map((n) => element('option', { value: n, text: n || first })));
    if (restored && restored[id]) { select.value = restored[id]; ask(); }
  }

  /* Curves and motion follow at once; words, which nobody reads while they change, when a moment has passed. */
  const MOMENT = 200;
  let telling = 0, told = 0;
  function tell() {
    clearTimeout(telling);
    const now = () => { told = performance.now(); vincolo.page.tell(); };
    if (performance.now() - told > MOMENT) now();
    else telling = setTimeout(now, MOMENT);
    told = performance.now();
  }

  function take(answer) {
    say(answer.messages);
    if (answer.methods) fill('method', 'automatic', answer.methods);
    if (answer.formulations) fill('formulation', 'automatic', answer.formulations);
    document.querySelector('main').classList.toggle('old', !answer.data);
    if (!answer.data) return;
    vincolo.take(answer.data);
    addPinned(vincolo.data);
    takeSliders(answer.sliders);
    takeNames(answer.names);
    hint('stop', show(answer.stop));
    hint('tol', answer.tol.toExponential());
    tell();
    vincolo.plots.update(at('curves'));
    vincolo.stage = vincolo.scene.build();
    if (!vincolo.stage) vincolo.clock.set(vincolo.clock.t);
    const title = (answer.data.title || 'Vincolo') + ' live';
    if (document.title !== title) document.title = title;
  }

  /* ---- the page ---- */

  function listen() {
    editor.on('change', ask);
    at('over').addEventListener('change', () => {
      over = at('over').value;
      if (!chosen) chosen = listed.split('\n').filter((n) => n !== over && shownNow(n));
      buildNames(listed.split('\n'));
      ask();
    });
    for (const id of ['method', 'formulation']) at(id).addEventListener('change', ask);
    for (const id of ['stop', 'tol']) {
      at(id).addEventListener('input', () => {
        const text = at(id).value.trim();
        at(id).classList.toggle('wrong', text !== '' && !(Number(text) > 0));
        ask();
      });
    }
    at('find').addEventListener('input', () => buildNames(listed.split('\n')));
    at('original').addEventListener('click', () => { values.clear(); sliders = []; ask(); });
    at('save').addEventListener('click', save);
    at('share').addEventListener('click', share);
    document.addEventListener('keydown', (e) => {
      if (!(e.ctrlKey || e.metaKey) || e.key !== 's') return;
      e.preventDefault();
      save();
    });
  }
  async function save() {
    if (!given.saves) { share(); return; }
    const told = await vincoloHost.save(editor.getValue());
    at('save').textContent = told.good ? 'saved' : 'not saved';
    if (!told.good) say([{ severity: 'error', line: 0, text: told.text }]);
    setTimeout(() => { at('save').textContent = 'save'; }, 1500);
  }
  async function share() {
    const shared = await vincoloHost.share({ text: editor.getValue(), values: [...values], vars: wanted(), own: true });
    if (!shared.page) { say([{ severity: 'error', line: 0, text: shared.why }]); return; }
    const link = element('a', { href: URL.createObjectURL(shared.page), download: ((vincolo.data && vincolo.data.title) || 'run') + '.html' });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  /* ---- models to begin with, where the page brings some: a menu, and #NAME in the address ---- */

  function begin(example) {
    at('file').textContent = at('file').title = example.name;
    at('examples').value = example.name;
    values.clear();
    sliders = [];
    chosen = null;
    given.vars = example.vars || null;
    for (const id of ['method', 'formulation', 'stop', 'tol']) at(id).value = '';
    editor.setValue(example.text);
  }
  function buildExamples(list) {
    const select = at('examples'), groups = new Map();
    for (const e of list) groups.set(e.group, [...(groups.get(e.group) || []), element('option', { value: e.name, text: e.title })]);
    for (const [name, options] of groups) select.append(...(name ? [element('optgroup', { label: name }, ...options)] : options));
    select.hidden = false;
    at('file').hidden = true; // the menu says it
    select.value = given.name;
    const named = () => list.find((e) => e.name === decodeURIComponent(location.hash.slice(1)));
    select.addEventListener('change', () => {
      history.replaceState(null, '', '#' + select.value);
      begin(list.find((e) => e.name === select.value));
    });
    addEventListener('hashchange', () => { if (named()) begin(named()); });
    if (named() && !given.own) begin(named());
  }

  /* ---- loaded again, in the same tab, the page is as it was; opened anew, as it was given ---- */

  const KEPT = 'vincolo live ' + location.pathname;
  let restored = null;
  function keep() {
    const state = { name: at('file').title, text: editor.getValue(), values: [...values], chosen, over };
    for (const id of ['method', 'formulation', 'stop', 'tol']) state[id] = at(id).value;
    try { sessionStorage.setItem(KEPT, JSON.stringify(state)); } catch (e) { /* no room, or forbidden: then it is not kept */ }
  }
  function restore() {
    try { restored = JSON.parse(sessionStorage.getItem(KEPT)); } catch (e) { return; }
    if (!restored || restored.name !== at('file').title) { restored = null; return; }
    if (editor.getValue() !== restored.text) editor.setValue(restored.text);
    for (const [name, value] of restored.values) values.set(name, value);
    ({ chosen, over } = restored);
    for (const id of ['stop', 'tol']) at(id).value = restored[id];
  }
  addEventListener('pagehide', () => { if (editor) keep(); });

  (async () => {
    given = await vincoloHost.given();
    at('file').textContent = given.name.split('/').pop();
    at('file').title = given.name;
    at('save').hidden = !given.saves;
    editor = CodeMirror(at('editor'), { value: given.text, mode: 'text/x-modelica', lineNumbers: true, indentUnit: 2, viewportMargin: 60 });
    for (const [name, value] of given.values || []) values.set(name, value);
    if (given.examples) buildExamples(given.examples);
    restore();
    listen();
    ask();
  })();
  return { seen, values, ask, get idle() { return !busy && !handed; }, get editor() { return editor; }, get sliders() { return sliders; } };
})();
