/* What the page shows, decoded; the theme; the time that all parts share.
 * SPDX-License-Identifier: BSD-3-Clause */
'use strict';

const vincolo = (() => {
  /* Base64 of little-endian doubles. */
  function numbers(text) {
    const raw = atob(text), bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
    return new Float64Array(bytes.buffer);
  }

  function decode(panel) {
    panel.columns.forEach((c, i) => { c.values = numbers(panel.data.columns[i]); });
    panel.data.columns = null;
  }
  const palettes = {
    light: ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#000000', '#999933'],
    dark: ['#56b4e9', '#e69f00', '#2bc59a', '#e39cc4', '#f0e442', '#ff7f3f', '#ffffff', '#5a9bd8'],
  };
  const known = new Map();
  const theme = {
    name: 'light',
    listeners: [],
    colour: (i) => palettes[theme.name][i % 8],
    /* Asking the browser makes it lay out the page: once for each theme. */
    css(name) {
      if (!known.has(name)) known.set(name, getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim());
      return known.get(name);
    },
    set(name) {
      theme.name = name;
      known.clear();
      document.documentElement.dataset.theme = name;
      theme.listeners.forEach((f) => f());
    },
  };

  /* One time for the moving model, its cursor in the curves and the slider. */
  const clock = {
    from: 0, to: 1, t: 0, listeners: [],
    set(t) {
      clock.t = Math.min(clock.to, Math.max(clock.from, t));
      clock.listeners.forEach((f) => f(clock.t));
    },
  };

  /* What is shown from now on; the time stays where it is, as far as the new run has it. */
  function take(data) {
    data.panels.forEach(decode);
    if (data.steps) decode(data.steps);
    const first = data.panels.find((p) => p.columns.length && p.columns[0].values.length);
    if (first) {
      const t = first.columns[0].values;
      clock.from = t[0];
      clock.to = t[t.length - 1];
      clock.t = here.data ? Math.min(clock.to, Math.max(clock.from, clock.t)) : clock.from;
    }
    here.data = data;
  }

  /* A number for people: five digits, no tail of zeros, exponents where they are shorter. */
  function show(x, digits = 5) {
    if (x === null || x === undefined || Number.isNaN(x)) return '–';
    const a = Math.abs(x);
    if (a !== 0 && (a < 1e-3 || a >= 1e6)) {
      const [m, e] = x.toExponential(Math.min(digits, 3) - 1).split('e');
      const factor = Number(m) === 1 ? '' : Number(m) === -1 ? '−' : String(Number(m)).replace('-', '−') + '·';
      return factor + '10' + Number(e).toString().replace('-', '−')
        .replace(/[0-9−]/g, (d) => '⁰¹²³⁴⁵⁶⁷⁸⁹'['0123456789'.indexOf(d)] || '⁻');
    }
    return String(Number(x.toPrecision(digits))).replace('-', '−');
  }

  /* The last row whose time is at most t. */
  function rowAt(times, t) {
    let lo = 0, hi = times.length - 1;
    while (lo < hi) {
      const mid = (lo + hi + 1) >> 1;
      if (times[mid] <= t) lo = mid;
      else hi = mid - 1;
    }
    return lo;
  }

  function element(tag, attributes = {}, ...children) {
    const e = document.createElement(tag);
    for (const [k, v] of Object.entries(attributes)) {
      if (k === 'text') e.textContent = v;
      else if (k.startsWith('on')) e.addEventListener(k.slice(2), v);
      else e.setAttribute(k, v);
    }
    e.append(...children);
    return e;
  }

  const here = { data: null, take, theme, clock, numbers, show, rowAt, element };
  const given = document.getElementById('data'); // a page that is a report brings it along
  if (given) take(JSON.parse(given.textContent));
  const prefers = window.matchMedia && matchMedia('(prefers-color-scheme: dark)').matches;
  theme.set((here.data && here.data.dark) || prefers ? 'dark' : 'light');
  return here;
})();
