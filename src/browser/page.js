/* node page.js ENGINE.wasm ROOT OUT.html: the live page as one file that needs no server.
 * SPDX-License-Identifier: BSD-3-Clause */
'use strict';
const { createHash } = require('crypto');
const { gzipSync } = require('zlib');
const fs = require('fs');
const path = require('path');

const [wasm, root, out] = process.argv.slice(2);
const read = (...parts) => fs.readFileSync(path.join(...parts), 'utf8');
const page = (name) => read(root, 'src/report/page', name);
const ours = (name) => read(root, 'src/browser', name);
const share = '/usr/share/javascript';

function filesBelow(folder, ends) {
  return fs.readdirSync(path.join(root, folder), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1)).flatMap((e) =>
    e.isDirectory() ? filesBelow(folder + '/' + e.name, ends) : ends.test(e.name) ? [folder + '/' + e.name] : []);
}

/* Every model below examples/: by the title of its README, or its own comment. Packages are not run. */
function examples() {
  const list = filesBelow('examples', /\.mo$/).filter((file) => !/^\s*package\b/.test(read(root, file))).map((file) => {
    const folder = path.dirname(file), parts = folder.split('/').slice(1), text = read(root, file);
    const readme = path.join(root, folder, 'README.md'), own = path.basename(file) === 'model.mo';
    const title = own && fs.existsSync(readme) ? read(readme).split('\n')[0].replace(/^# /, '') : '';
    const comment = /^\s*(?:model|class)\s+\w+\s+"([^"]*)"/m.exec(text);
    const name = own ? parts.join('/') : file.replace(/^examples\//, '').replace(/\.mo$/, '');
    return { name, group: parts.length > 1 || !own ? parts[0] : '', title: title || (comment ? comment[1] : path.basename(file)), text };
  });
  return list.sort((a, b) => (a.group < b.group ? -1 : a.group > b.group ? 1 : 0));
}

/* JSON in a script element: no text in it can end that. */
const json = (value) => JSON.stringify(value).replace(/</g, '\\u003c');
const scripts = [ours('host.js'), read(share, 'codemirror/codemirror.js'), read(share, 'codemirror/mode/modelica/modelica.js'),
  read(share, 'dygraphs/dygraph.min.js'), read(share, 'three/three.min.js'),
  ...['data.js', 'plots.js', 'scene.js', 'forms.js', 'solid.js', 'main.js', 'live.js'].map(page)].map((s) => '\n' + s.replace(/<\/script/g, '<\\/script') + '\n');
const styles = [read(share, 'codemirror/codemirror.css'), read(share, 'dygraphs/dygraph.min.css'), page('style.css'), page('live.css')];
const hashes = scripts.map((s) => "'sha256-" + createHash('sha256').update(s).digest('base64') + "'");
/* Scripts of this file, the engine in a worker made of it, and nothing from anywhere else. */
const policy = "default-src 'none'; script-src 'wasm-unsafe-eval' " + hashes.join(' ') +
  "; worker-src blob:; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'";
const list = examples();
const first = list.find((e) => e.name === 'pendulum') || list[0];
const given = { name: first.name, text: first.text, saves: false, vars: null, examples: list };
const library = Object.fromEntries(filesBelow('lib', /\.(mo|order)$/).map((file) => [file, read(root, file)]));

fs.writeFileSync(out, [
  '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
  '<meta http-equiv="Content-Security-Policy" content="' + policy + '">\n',
  '<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>Vincolo live</title>\n',
  ...styles.map((s) => '<style>\n' + s + '\n</style>\n'),
  '</head>\n<body>\n',
  ...['head.html', 'live_begin.html', 'motion.html', 'live_end.html'].map(page),
  '<script type="application/json" id="given">' + json(given) + '</script>\n',
  '<script type="application/json" id="files">' + json(library) + '</script>\n',
  '<script type="text/plain" id="worker">\n' + ours('engine.js') + ours('worker.js') + '</script>\n',
  '<script type="text/plain" id="engine">\n' + gzipSync(fs.readFileSync(wasm), { level: 9 }).toString('base64') + '\n</script>\n',
  ...scripts.map((s) => '<script>' + s + '</script>\n'),
  '</body>\n</html>\n',
].join(''));
