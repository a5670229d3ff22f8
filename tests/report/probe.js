/* Runs inside a report, appended to it by the script `browser`: reads positions back, plays, hides a
 * curve, zooms, turns, and says on the console what it found.
 * SPDX-License-Identifier: BSD-3-Clause */
'use strict';

(async () => {
  const findings = [];
  const check = (what, ok) => findings.push((ok ? 'ok ' : 'WRONG ') + what);
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  const at = (id) => document.getElementById(id);
  const picture = () => document.querySelector('#stage canvas:not([hidden])').toDataURL();
  try {
    check('a script that the page does not name does not run', !window.intruder);
    check('the page is ready', document.documentElement.dataset.ready === 'true');
    const { scene, clock, plots, theme } = vincolo;

    // Places against the rows of the CSV, as the test's `places` derives them from its columns.
    let worst = 0;
    for (const row of expected) {
      const wanted = places(row), now = scene.places(row[0]);
      for (const { shape, end, xyz } of wanted)
        xyz.forEach((x, k) => { worst = Math.max(worst, Math.abs(now[shape][end][k] - x)); });
    }
    check('places agree with the table: ' + expected.length + ' rows, worst ' + worst, expected.length > 10 && worst < 1e-12);

    const still = picture();
    clock.set((clock.from + clock.to) / 3);
    check('the picture moves with the time', picture() !== still);
    clock.set(clock.from);
    at('play').click();
    for (let k = 0; k < 40 && clock.t === clock.from; k++) await wait(50);
    check('play moves the time: ' + clock.t, clock.t > clock.from);
    if (scene.player.playing) at('play').click();
    const held = clock.t;
    await wait(300);
    check('pause holds it', clock.t === held);
    at('scrub').value = clock.to;
    at('scrub').dispatchEvent(new Event('input'));
    check('the slider sets it', clock.t === clock.to);

    const chart = plots.charts[0], curve = () => document.querySelector('.chart .area canvas').toDataURL();
    const before = curve();
    document.querySelector('.chip').click();
    const hidden = curve();
    check('a name hides its curve', chart.g.visibility()[0] === false && hidden !== before);
    document.querySelector('.chip').click();
    check('and shows it again', chart.g.visibility()[0] === true && curve() !== hidden);
    const span = clock.to - clock.from;
    chart.g.updateOptions({ dateWindow: [clock.from, clock.from + span / 4] });
    check('curves zoom', curve() !== before);
    at('theme').click();
    check('dark is dark', theme.name === 'dark' && curve() !== before);

    if (vincolo.stage.eye) {
      const from = picture();
      const turn = (type, x) => at('stage').dispatchEvent(new PointerEvent(type, { clientX: x, clientY: 200, pointerId: 1, bubbles: true }));
      at('stage').setPointerCapture = () => {};
      turn('pointerdown', 100);
      turn('pointermove', 220);
      turn('pointerup', 220);
      check('the mouse turns the model', picture() !== from);
    }
  } catch (e) {
    check('no exception: ' + e, false);
  }
  findings.push('ready after ' + Math.round(vincolo.readyAfter) + ' ms', 'end');
  for (const f of findings) console.log('VERDICT ' + f);
})();
