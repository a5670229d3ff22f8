/* Runs inside a live page, sent there by drive.js: how evenly frames come while a slider is dragged through 100 values,
 * one with each frame as a pointer moves, beside how they come while nothing happens; and how long the page itself works on
 * an answer, during which no frame can come.
 * SPDX-License-Identifier: BSD-3-Clause */
(async () => {
  const { live } = vincolo, FRAME = 1000 / 60, COUNT = 100;
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  const sorted = (list) => [...list].sort((a, b) => a - b);
  const part = (list, p) => sorted(list)[Math.min(list.length - 1, Math.floor(p * list.length))].toFixed(1);
  for (let k = 0; k < 1000 && !(live.idle && vincolo.data); k++) await wait(10);
  await wait(500);
  const work = [], spent = new Map();
  let inside = 0;
  const watch = (owner, name, words) => {
    const act = owner[name];
    spent.set(words, []);
    owner[name] = function (...given) {
      const begun = performance.now(), result = act.apply(this, given), took = performance.now() - begun;
      inside += took;
      spent.get(words).push(took);
      return result;
    };
  };
  watch(vincolo, 'take', 'numbers');
  watch(vincolo.plots, 'update', 'curves');
  watch(vincolo.scene, 'build', 'motion');
  watch(vincolo.page, 'tell', 'words');
  const frames = (each) => new Promise((done) => {
    const list = [];
    let last = 0;
    const next = (t) => {
      if (last) list.push(t - last);
      last = t;
      if (inside) work.push(inside);
      inside = 0;
      if (list.length === COUNT) done(list);
      else { each(list.length); requestAnimationFrame(next); }
    };
    requestAnimationFrame(next);
  });
  const idle = await frames(() => {});
  work.length = 0;
  const s = live.sliders.find((x) => x.type === 'real' && x.value !== 0), from = s.value;
  const asked = live.seen.asked;
  const dragged = await frames((k) => {
    s.slider.value = from * (1 + 0.004 * k);
    s.slider.dispatchEvent(new Event('input'));
  });
  const late = (list) => list.filter((x) => x > 1.5 * FRAME).length;
  const say = (list) => 'median ' + part(list, 0.5) + ' ms, 95 of 100 within ' + part(list, 0.95) + ' ms, ' + late(list) + ' late';
  return [vincolo.data.title + ': frames while nothing happens: ' + say(idle) + '; while ' + s.name + ' is dragged: ' + say(dragged) +
    '; ' + (live.seen.asked - asked) + ' answers, work of the page in a frame: median ' + (work.length ? part(work, 0.5) : 0) + ' ms, at most ' +
    (work.length ? part(work, 1) : 0) + ' ms (median and most: ' +
    [...spent].filter(([, list]) => list.length).map(([words, list]) => words + ' ' + part(list, 0.5) + ', ' + part(list, 1)).join('; ') + ')' + (document.querySelector('.said.error') ? ' WRONG' : '')];
})();
