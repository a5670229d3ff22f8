/* Runs inside the page without a server, sent there by drive.js: the menu of examples, the page that is shared, the policy.
 * SPDX-License-Identifier: BSD-3-Clause */
(async () => {
  const findings = [], check = (what, ok) => findings.push((ok ? 'ok ' : 'WRONG ') + what);
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  const at = (id) => document.getElementById(id), { live } = vincolo;
  const settle = async () => {
    for (let k = 0; k < 6000; k++) { await wait(5); if (live.idle) break; }
    await wait(50);
  };
  try {
    await settle();
    check('the address says which example: ' + vincolo.data.title, vincolo.data.title === 'ThreeTank');
    const choose = async (name) => {
      at('examples').value = name;
      at('examples').dispatchEvent(new Event('change'));
      await wait(60);
      await settle();
    };
    await choose('hybrid/bouncing-ball');
    check('another from the menu: ' + vincolo.data.title, vincolo.data.title === 'BouncingBall' && !document.querySelector('.said.error'));
    check('and its sliders: ' + live.sliders.map((s) => s.name).join(), live.sliders.some((s) => s.name === 'g'));
    const g = live.sliders.find((s) => s.name === 'g'), took = [];
    for (let k = 1; k <= 100; k++) {
      const begun = performance.now();
      g.slider.value = 5 + 0.1 * k;
      g.slider.dispatchEvent(new Event('input'));
      while (!live.idle) await wait(0);
      await new Promise((done) => requestAnimationFrame(() => done()));
      took.push(performance.now() - begun);
    }
    findings.push('a change is on the screen after ' + took.sort((a, b) => a - b)[50].toFixed(1) + ' ms (median of 100)');
    const shared = await (await vincoloHost.share({ text: 'model M "</script>"\nend M;\n', values: [['g', 3]], own: true })).page.text();
    const given = JSON.parse(new DOMParser().parseFromString(shared, 'text/html').getElementById('given').textContent);
    check('a page that is shared has its text and its values', given.text.startsWith('model M "</script>"') && given.values[0][1] === 3);
    check('and all else', Math.abs(shared.length - document.documentElement.outerHTML.length) < 2e6 && shared.includes('id="engine"'));
    const ask = (words) => vincoloHost.run(new TextEncoder().encode('text ' + words.length + '\n' + words));
    const both = await Promise.all(['A', 'B'].map((name) => ask('model ' + name + ' Real x = time; end ' + name + ';')));
    check('the last of two questions is answered', both[0].status === 409 && both[1].answer.data.title === 'B');
    let refused = 0;
    addEventListener('securitypolicyviolation', () => refused++);
    try { (0, eval)('1'); } catch (e) { refused++; }
    try { await fetch('https://example.org/'); } catch (e) { refused++; }
    check('texts are no scripts, and nothing is asked elsewhere', refused >= 2);
    live.editor.setValue('model Deep\n  function f input Real x; output Real y; algorithm y := if x < 1 then 0 else 1 + f(x - 1); end f;\n' +
      '  Real x = f(1e5 + time);\nend Deep;\n');
    await wait(60);
    await settle();
    const ended = document.querySelector('.said.error');
    check('a call without end is told: ' + (ended && ended.textContent), ended);
    let worst = '';
    for (const { name } of JSON.parse(document.getElementById('given').textContent).examples.filter((e) => e.group === 'lectures')) {
      await choose(name);
      const said = document.querySelector('.said.error');
      if (said) worst = name + ': ' + said.textContent;
    }
    check('every lecture runs' + (worst ? ', but ' + worst : ''), !worst);
  } catch (e) {
    check('no exception: ' + e + ' ' + e.stack, false);
  }
  return findings;
})();
