/* The page around curves and motion: headline, structure, statistics, settings, model.
 * SPDX-License-Identifier: BSD-3-Clause */
'use strict';

vincolo.page = (() => {
  const { theme, show, element } = vincolo;
  const at = (id) => document.getElementById(id);
  let data, run, check; // as they are shown

  /* Names are long: they break after dots. */
  function breakable(text) {
    const out = document.createDocumentFragment();
    text.split(/(?<=\w\.)(?=[A-Za-z_])/).forEach((part, k) => { if (k) out.append(element('wbr')); out.append(part); });
    return out;
  }

  /* ---- headline ---- */

  function badge(text, kind = '') { at('badges').append(element('span', { class: 'badge ' + kind, text })); }
  function buildHeadline() {
    at('title').replaceChildren(breakable(data.title || 'Results'));
    at('title').classList.toggle('long', (data.title || '').length > 40);
    at('comment').textContent = data.comment || '';
    if (run) {
      badge(run.status, run.status === 'done' || run.status === 'terminated' ? 'good' : 'bad');
      badge('index ' + run.index.structural);
      badge(run.dof + (run.dof === 1 ? ' degree of freedom' : ' degrees of freedom'));
      badge(show(1e3 * run.wall_s.total, 3) + ' ms');
    }
    if (data.events.length) badge(data.events.length + (data.events.length === 1 ? ' event' : ' events'));
    at('footer').textContent = 'Vincolo ' + (data.version || '');
  }
  at('theme').addEventListener('click', () => theme.set(theme.name === 'dark' ? 'light' : 'dark'));

  /* ---- facts ---- */

  function facts(host, title, pairs) {
    const dl = element('dl');
    for (const [name, value] of pairs) {
      if (value === undefined || value === null || value === '') continue;
      const long = String(value).length > 60 ? { class: 'long' } : {};
      dl.append(element('dt', { ...long, text: name }), element('dd', long, breakable(String(value))));
    }
    const card = element('div', { class: 'card' }, element('h2', { text: title }), dl);
    host.append(card);
    return card;
  }
  function count(n) { return n.toLocaleString('en').replace(/,/g, ' '); }

  function buildSummary() {
    const host = at('summary');
    if (check) {
      facts(host, 'Structure', [
        ['unknowns, equations', check.n_unknowns + ', ' + check.n_equations],
        ['index by structure', check.index.structural],
        ['index by numbers', check.index.numerical],
        ['form', check.form],
        ['freedom', check.dof],
        ['states', check.states.slice(0, 12).join(', ') + (check.states.length > 12 ? ', …' : '') +
          (check.selection === 'dynamic' ? ' (chosen anew while running)' : '')],
        ['constraints', check.constraints.filter((c) => !c.level).length],
        ['hidden constraints', check.constraints.filter((c) => c.level).length],
        ['largest block', check.blocks.length ? Math.max(...check.blocks) : null],
      ]);
    }
    if (!run) return;
    const s = data.settings || {};
    facts(host, 'Solution', [
      ['formulation', run.formulation === 'none' ? null : run.formulation],
      ['method', run.method],
      ['from, to', show(s.start) + ', ' + show(run.t_end)],
      [s.step ? 'step' : 'tolerance', show(s.step || s.tolerance)],
      ['steps', count(run.steps)],
      ['rejected', count(run.rejected)],
      ['evaluations', count(run.residual_evals)],
      ['Jacobians', count(run.jacobian_evals)],
      ['factorizations', count(run.factorizations)],
      ['events', run.events || null],
      ['largest violation', run.constraint ? show(run.constraint.position_max, 2) : null],
      ['energy changed by', run.energy ? show(run.energy.max_change, 2) : null],
    ]);
    if (run.message) host.append(element('div', { class: 'card message', text: run.message }));
  }

  /* ---- details ---- */

  function equations(title, list) {
    if (!list.length) return;
    const ul = element('ul', { class: 'equations' });
    for (const c of list.slice(0, 60)) {
      ul.append(element('li', {}, element('code', { text: c.equation }),
        element('small', { text: (c.level ? 'level ' + c.level + ', ' : '') + 'line ' + c.line })));
    }
    if (list.length > 60) ul.append(element('li', {}, element('small', { text: 'and ' + (list.length - 60) + ' more' })));
    at('details').append(element('div', { class: 'card' }, element('h2', { text: title }), ul));
  }

  function buildDetails() {
    if (check) {
      equations('Constraints', check.constraints.filter((c) => !c.level));
      equations('Hidden constraints', check.constraints.filter((c) => c.level));
    }
    const s = data.settings;
    if (run && s) {
      facts(at('details'), 'Settings', [
        ['model', run.model], ['class', run['class']],
        ['formulation', run.formulation === 'none' ? 'none: there are no constraints' : run.formulation + ': ' + s.formulation_summary],
        ['method', run.method + (s.method_why ? ' (chosen: ' + s.method_why + ')' : '')],
        ['output points', s.intervals || 'every step'],
        ...Object.entries(s.given),
      ]);
      facts(at('details'), 'Time', Object.entries(run.wall_s).map(([k, v]) => [k, show(1e3 * v, 3) + ' ms']));
    }
    if (data.source) {
      at('details').append(element('details', { class: 'card' }, element('summary', { text: 'Model' }),
        element('pre', { text: data.source })));
    }
  }

  /* ---- the page ---- */

  /* All that is said in words, of the data as they are now. */
  function tell() {
    ({ data } = vincolo);
    ({ run, check } = data);
    for (const id of ['badges', 'summary', 'details']) at(id).replaceChildren();
    buildHeadline();
    buildSummary();
    buildDetails();
  }

  function report() {
    tell();
    vincolo.plots.build(at('curves'));
    const hints = ['Drag to zoom, shift-drag to pan, double-click to see all; click a name to hide its curve'];
    vincolo.stage = vincolo.scene.build();
    if (vincolo.stage) hints.push('click into a curve to move the model there');
    if (data.leftOut) hints.push(data.leftOut + ' more variables: choose with --vars');
    at('curves').append(element('p', { class: 'hint', text: hints.join('; ') + '.' }));
    vincolo.plots.buildQuality(at('quality'));
    if (!vincolo.stage) vincolo.clock.set(vincolo.clock.from);
    document.documentElement.dataset.ready = 'true';
    vincolo.readyAfter = performance.now(); // ms since the page was asked for
  }

  if (vincolo.data) report();
  return { tell, at };
})();
