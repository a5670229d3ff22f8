/* Runs inside a live page, sent there by drive.js: how long a change takes to the screen, and where the time goes. The
 * first slider of a number that is not zero is dragged through 100 values; then a letter is typed 100 times, in the name of a
 * parameter that is new, so that the model is compiled each time.
 * SPDX-License-Identifier: BSD-3-Clause */
(async () => {
  const { live } = vincolo, spent = new Map(), took = [];
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1].toFixed(1);
  for (let k = 0; k < 1000 && !(live.idle && vincolo.data); k++) await wait(10);
  await wait(300);
  const watch = (owner, name, words) => {
    const act = owner[name], list = [];
    spent.set(words, list);
    owner[name] = function (...given) {
      const begun = performance.now(), result = act.apply(this, given);
      const done = () => list.push(performance.now() - begun);
      if (result && result.then) result.then(done, done);
      else done();
      return result;
    };
  };
  watch(vincoloHost, 'run', 'question and answer');
  watch(vincolo, 'take', 'numbers');
  watch(vincolo.plots, 'update', 'curves');
  watch(vincolo.scene, 'build', 'motion');
  const s = live.sliders.find((x) => x.type === 'real' && x.value !== 0), from = s.value;
  for (let k = 1; k <= 100; k++) {
    const begun = performance.now();
    s.slider.value = from * (1 + 0.004 * k);
    s.slider.dispatchEvent(new Event('input'));
    while (!live.idle) await wait(0); // drawn where a frame began, and shown with it: before the next timer
    took.push(performance.now() - begun);
  }
  const typed = [], parts = [...spent].filter(([, list]) => list.length).map(([words, list]) => words + ' ' + median(list)).join(', ');
  const line = live.editor.getValue().split('\n').findIndex((l) => /^\s*(parameter|Real|import|Ground)/.test(l));
  live.editor.replaceRange('  parameter Real a = 1;\n', { line, ch: 0 });
  for (let k = 1; k <= 100; k++) {
    while (!live.idle) await wait(0);
    const begun = performance.now();
    live.editor.replaceRange('b', { line, ch: 18 });
    while (!live.idle) await wait(0);
    typed.push(performance.now() - begun);
  }
  const seen = live.sliders.some((x) => x.name === 'a' + 'b'.repeat(100));
  return [vincolo.data.title + ': a letter typed is there after ' + median(typed) + ' ms (median of 100)' + (seen ? '' : ' WRONG: it is not'), vincolo.data.title + ': a change of ' + s.name + ' is on the screen after ' + median(took) + ' ms (median of 100): ' + parts +
    (document.querySelector('.said.error') ? ' WRONG' : '')];
})();
