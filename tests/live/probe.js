/* Runs inside a live page, sent there by drive.js: types a mistake and mends it, drags, pins, picks, switches, and says what
 * it found. `wide`: the pendulum of the examples is loaded.
 * SPDX-License-Identifier: BSD-3-Clause */
(async () => {
  const findings = [], check = (what, ok) => findings.push((ok ? 'ok ' : 'WRONG ') + what);
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  const at = (id) => document.getElementById(id), { live } = vincolo;
  /* Until everything that was asked has been answered, and the screen drawn. */
  const settle = async () => {
    for (let k = 0; k < 6000; k++) {
      await wait(5);
      if (live.idle) break;
    }
    await new Promise((done) => requestAnimationFrame(() => done()));
  };
  const curve = (name) => {
    for (const p of vincolo.data.panels) { const c = p.columns.find((x) => x.name === name); if (c) return c.values; }
    return null;
  };
  const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];
  try {
    await settle();
    check('there are curves', curve('x') && curve('x').length > 100);
    check('there are sliders: ' + live.sliders.map((s) => s.name).join(), live.sliders.some((s) => s.name === 'L'));

    const written = live.editor.getValue();
    live.editor.setValue(written.replace('der(vx) = -F*x;', 'der(vx) = -Q*x;'));
    await wait(60);
    await settle();
    const said = [...document.querySelectorAll('#editor .said.error')].map((e) => e.textContent);
    check('a mistake is told under its line: ' + said[0], said.length > 0 && said[0].includes('Q'));
    check('what was computed stays on the screen', curve('x').length > 100 && document.querySelector('main').classList.contains('old'));
    live.editor.setValue(written);
    await wait(60);
    await settle();
    check('mended, it is gone', !document.querySelector('#editor .said.error') && !document.querySelector('main').classList.contains('old'));

    const slider = live.sliders.find((s) => s.name === 'L').slider, took = [];
    for (let k = 1; k <= 100; k++) {
      const begun = performance.now();
      slider.value = 1 + 0.01 * k;
      slider.dispatchEvent(new Event('input'));
      while (!live.idle) await wait(0); // drawn where a frame began, and shown with it: before the next timer
      took.push(performance.now() - begun);
    }
    const L = 2, far = Math.max(...Array.from(curve('x'), (x, i) => Math.abs(Math.hypot(x, curve('y')[i]) - L)));
    check('the curves follow the slider: |r - L| = ' + far, far < 1e-6);
    findings.push('a change is on the screen after ' + median(took).toFixed(1) + ' ms (median of 100), at most ' + Math.max(...took).toFixed(1));

    slider.value = 0.8; // x(0) = 1 is farther away than that
    slider.dispatchEvent(new Event('input'));
    await settle();
    const why = [...document.querySelectorAll('.said.error')].map((e) => e.textContent);
    check('a value that cannot be is told: ' + why[0], why.length > 0);
    slider.value = 2;
    slider.dispatchEvent(new Event('input'));
    await settle();

    at('pin').click();
    await settle();
    slider.value = 1.2;
    slider.dispatchEvent(new Event('input'));
    await settle();
    check('a pinned run stays beside it', !!curve('x pinned') && Math.abs(curve('x pinned')[0] - curve('x')[0]) < 1e-12 && curve('y pinned').some((y, i) => Math.abs(y - curve('y')[i]) > 0.1));
    at('pin').click();
    await settle();
    check('and goes', !curve('x pinned'));

    const select = at('formulation');
    select.value = 'ggl';
    select.dispatchEvent(new Event('change'));
    await settle();
    check('another formulation: ' + vincolo.data.run.formulation, vincolo.data.run.formulation.startsWith('ggl'));
    select.value = '';
    select.dispatchEvent(new Event('change'));

    at('picker').open = true;
    const box = () => [...document.querySelectorAll('#names label')].find((l) => l.textContent.trim() === 'F').querySelector('input');
    box().click();
    await settle();
    check('a variable that is picked is shown', vincolo.data.panels.length === 1 && !!curve('F'));
    at('over').value = 'x';
    at('over').dispatchEvent(new Event('change'));
    await settle();
    const phase = () => vincolo.data.panels[0].curves.map((c) => vincolo.data.panels[0].columns[c.x].name + ':' + vincolo.data.panels[0].columns[c.y].name).join();
    check('a phase plot: ' + phase(), phase() === 'x:F' && !!document.querySelector('canvas.phase'));
    at('pin').click();
    await settle();
    slider.value = 1.4;
    slider.dispatchEvent(new Event('input'));
    await settle();
    check('beside the pinned one: ' + phase(), phase() === 'x:F,x pinned:F pinned');
    at('pin').click();
    at('over').value = '';
    at('over').dispatchEvent(new Event('change'));
    box().click();

    at('original').click();
    await settle();
    check('as written again', live.values.size === 0 && Math.abs(Math.hypot(curve('x')[9], curve('y')[9]) - 1) < 1e-6);

    live.editor.setValue(written.replace('"to the right"', '"<img src=x onerror=window.intruder=1>"'));
    await wait(60);
    await settle();
    await wait(50);
    check('a text of the model is no markup', !window.intruder);

    live.editor.setValue('model Endless\n  Real x(start = 1, fixed = true);\n  parameter Real k = 1;\nequation\n  der(x) = sin(1e9*time)*k;\n  annotation(experiment(StopTime = 1e6));\nend Endless;\n');
    await wait(100);
    live.editor.setValue(written);
    await wait(60);
    await settle();
    check('a run without end gives way to the next change', vincolo.data.title === 'Pendulum' && curve('x').length > 100);

    live.editor.setValue(written.replace('"gravity"', '"gravity here"'));
    const again = live.sliders.find((s) => s.name === 'L').slider;
    again.value = 1.3;
    again.dispatchEvent(new Event('input'));
    at('formulation').value = 'project';
    at('formulation').dispatchEvent(new Event('change'));
    await settle();
    findings.push('reload: vincolo.live.editor.getValue().includes("gravity here") && vincolo.live.values.get("L") === 1.3 && ' +
      'vincolo.data.run.formulation.startsWith("project")');
  } catch (e) {
    check('no exception: ' + e + ' ' + e.stack, false);
  }
  return findings;
})();
