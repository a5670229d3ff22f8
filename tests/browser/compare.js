/* compare.js VINCOLO ENGINE.wasm ROOT [NAME ...]: the same examples through the command (vincolo live) and through the
 * engine of the browser; their curves are held against each other.
 *
 * At output times that both have, each curve is compared in parts of its largest value (of a billionth of the largest in its
 * panel, if that is more: what is zero but for rounding). What the engines may differ by is what the tolerance leaves open:
 * 100 times the tolerance of the run, or, where that is more, twice the distance of the command's run to its own at a tenth
 * and at 97 to 99 hundredths of the tolerance: small differences grow in some models, by rounding alone, and from one such
 * run to another by a factor of three (wheelset).
 * Where constraints follow from others and the engines leave out different ones (S103 says which), forces and torques
 * (f and tau of the library's connectors) are not unique, and not compared.
 * SPDX-License-Identifier: BSD-3-Clause */
'use strict';
const { spawn } = require('child_process');
const fs = require('fs');
const path = require('path');

const [command, wasm, root, ...wanted] = process.argv.slice(2);
const engines = require(path.join(root, 'src/browser/engine.js'));
const below = (folder) => fs.readdirSync(path.join(root, folder), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1)).flatMap((e) =>
  e.isDirectory() ? below(folder + '/' + e.name) : [folder + '/' + e.name]);
const library = new Map(below('lib').map((file) => [file, new Uint8Array(fs.readFileSync(path.join(root, file)))]));
const module_ = new WebAssembly.Module(fs.readFileSync(wasm));

function request(text, lines) {
  return Buffer.concat([Buffer.from(lines.map((l) => l + '\n').join('') + 'text ' + text.length + '\n'), text]);
}

/* Answers of the command: at the tolerance of the model, and at parts of it; all with the curves of the first. */
function byCommand(file, text, lines) {
  return new Promise((done, failed) => {
    const server = spawn(command, ['live', file, '-L', path.join(root, 'lib'), '--max-time', '60'], { stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    server.on('exit', () => failed(new Error('vincolo live has ended')));
    server.stdout.on('data', async (bytes) => {
      said += bytes;
      const address = /http:\S+/.exec(said);
      if (!address ) return;
      said = '';
      const ask = async (more) => (await fetch(address[0] + 'run', { method: 'POST', body: request(text, [...lines, ...more]) })).json();
      try {
        const first = await ask([]), shown = ['vars ' + [...curves(first).keys()].join(';')], answers = [first];
        for (const part of first.tol ? [0.1, 0.97, 0.98, 0.99] : []) answers.push(await ask([...shown, 'tol ' + first.tol * part]));
        done({ answers, shown: first.data ? shown : [] });
      } catch (e) { failed(e); }
      server.removeAllListeners('exit');
      server.kill('SIGINT');
    });
  });
}

/* Values by name, and in them by time, of times that occur once. */
function curves(answer, but = null) {
  const all = new Map();
  for (const panel of answer.data ? answer.data.panels : []) {
    const columns = panel.data.columns.map((words) => {
      const bytes = Buffer.from(words, 'base64');
      return new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
    });
    const count = new Map();
    columns[0].forEach((t) => count.set(t, (count.get(t) || 0) + 1));
    const largest = columns.slice(1).reduce((most, c) => c.reduce((m, x) => Math.max(m, Math.abs(x) || 0), most), 0);
    panel.columns.forEach((c, k) => {
      if (k === 0 || (but && but.test(c.name))) return;
      const rows = new Map();
      rows.least = 1e-9 * largest;
      columns[0].forEach((t, i) => { if (count.get(t) === 1) rows.set(t, columns[k][i]); });
      all.set(c.name, rows);
    });
  }
  return all;
}

/* The largest difference, in parts of the largest value of its curve; rows that were compared. */
function distance(a, b) {
  let worst = 0, where = '', rows = 0;
  for (const [name, x] of a) {
    const y = b.get(name);
    if (!y) return { worst: Infinity, where: name + ' is missing', rows };
    const size = Math.max(1e-300, x.least, ...Array.from(x.values(), Math.abs));
    for (const [t, value] of x) {
      if (!y.has(t)) continue;
      rows++;
      const d = Math.abs(value - y.get(t)) / size;
      if (!(d <= worst)) { worst = Number.isNaN(d) && Number.isNaN(value) && Number.isNaN(y.get(t)) ? worst : d; where = name + ' at ' + t; }
    }
  }
  return { worst, where, rows };
}

(async () => {
  let failed = 0, count = 0, exact = 0, late = 0;
  for (const file of below('examples').filter((f) => f.endsWith('.mo'))) {
    if (wanted.length && !wanted.some((w) => file.includes(w))) continue;
    const text = fs.readFileSync(path.join(root, file));
    const { answers: [native, ...others], shown } = await byCommand(path.join(root, file), text, []);
    const begun = process.cpuUsage().user;
    const answer = JSON.parse(engines.begin(module_, library).answer(new Uint8Array(request(text, shown))).text);
    const seconds = (process.cpuUsage().user - begun) / 1e6;
    const errors = (x) => x.messages.filter((m) => m.severity === 'error').map((m) => m.code + ' ' + m.text).join('; ');
    const left = (x) => x.messages.filter((m) => m.code === 'S103').map((m) => m.text).join();
    const but = left(native) === left(answer) ? null : /\.(f|tau)(\[|$)/;
    const own = curves(native, but), found = distance(own, curves(answer, but));
    const limit = Math.max(100 * (native.tol || 1e-6), ...others.map((o) => 2 * distance(own, curves(o, but)).worst));
    if (errors(answer).startsWith('C181')) { // a limit of time, which a busy machine reaches sooner
      console.log('late ' + file + ': ' + errors(answer));
      late++;
      continue;
    }
    const same = !!native.data === !!answer.data && (native.data ? found.worst <= limit && found.rows > 0 : errors(native) === errors(answer));
    count++;
    if (found.worst === 0) exact++;
    if (!same) failed++;
    console.log((same ? 'ok ' : 'WRONG ') + file + ': ' + (native.data ? found.worst.toExponential(1) + ' (limit ' + limit.toExponential(1) + ') in ' + found.rows + ' values, worst ' + found.where : 'no run: ' + errors(native)) +
      ', ' + seconds.toFixed(2) + ' s' + (same ? '' : ' | command: ' + errors(native) + ' | browser: ' + errors(answer)));
  }
  console.log('engine of the browser: ' + count + ' examples, ' + exact + ' the same to the last bit, ' + failed + ' beyond tolerance, ' + late + ' not ready in 10 s');
  process.exit(failed ? 1 : 0);
})();
