/* drive.js ADDRESS PROBE.js WIDTH HEIGHT PICTURE.png [dark]: opens the page in headless Chromium by its DevTools protocol,
 * runs the probe in it, prints what that says, and takes a picture. A finding "reload: EXPRESSION" must hold after the page is
 * loaded again, which happens last.
 * SPDX-License-Identifier: BSD-3-Clause */
'use strict';
const { spawn } = require('child_process');
const fs = require('fs');
const http = require('http');
const os = require('os');
const path = require('path');
const WebSocket = require('ws');

const [address, probe, width, height, picture, dark] = process.argv.slice(2);
const home = fs.mkdtempSync(path.join(os.tmpdir(), 'vincolo-browser-'));
const browser = spawn('chromium', ['--headless', '--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
  // the window itself is put together by the processor, as in a browser without a graphics card: else two thirds of the time go there
  '--disable-gpu-compositing',
  '--remote-debugging-port=0', '--user-data-dir=' + home, 'about:blank'], { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, HOME: home } });
const wait = (ms) => new Promise((done) => setTimeout(done, ms));

/* Its helpers outlive it by a moment, and write meanwhile. */
function end(status) {
  browser.once('exit', async () => {
    for (let k = 0; k < 50 && fs.existsSync(home); k++) {
      try { fs.rmSync(home, { recursive: true, force: true }); } catch (e) { await wait(100); }
    }
    process.exit(status);
  });
  browser.kill();
}

/* The browser says where it listens. */
const port = new Promise((done) => {
  let said = '';
  browser.stderr.on('data', (bytes) => {
    said += bytes;
    const found = /DevTools listening on ws:\/\/127\.0\.0\.1:(\d+)/.exec(said);
    if (found) done(Number(found[1]));
  });
});

function list(at) {
  return new Promise((done, failed) => {
    http.get({ host: '127.0.0.1', port: at, path: '/json' }, (reply) => {
      let text = '';
      reply.on('data', (bytes) => { text += bytes; });
      reply.on('end', () => done(JSON.parse(text)));
    }).on('error', failed);
  });
}

(async () => {
  const page = (await list(await port)).find((tab) => tab.type === 'page');
  const socket = new WebSocket(page.webSocketDebuggerUrl);
  await new Promise((done) => socket.on('open', done));
  const waiting = new Map();
  let complaints = 0, last = 0;
  socket.on('message', (bytes) => {
    const m = JSON.parse(bytes);
    if (m.id) waiting.get(m.id)(m.result || m);
    if (m.method !== 'Runtime.exceptionThrown') return;
    complaints++;
    console.log('WRONG exception: ' + JSON.stringify(m.params.exceptionDetails.exception));
  });
  const send = (method, params = {}) => new Promise((done) => {
    waiting.set(++last, done);
    socket.send(JSON.stringify({ id: last, method, params }));
  });
  const evaluate = (expression) => send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
  await send('Runtime.enable');
  await send('Page.enable');
  await send('Emulation.setDeviceMetricsOverride', { width: Number(width), height: Number(height), deviceScaleFactor: 1, mobile: Number(width) < 600 });
  if (dark) await send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: 'dark' }] });
  await send('Page.navigate', { url: address });
  const until = async (expression) => {
    for (let k = 0; k < 300; k++) {
      const found = await evaluate(expression);
      if (found.result && found.result.value) return true;
      await wait(100);
    }
    return false;
  };
  await until('document.documentElement.dataset.ready || ""');
  // Of the processor, whatever else the machine does: what a page takes in a frame must be less than the frame.
  const spent = async () => Object.fromEntries(((await send('Performance.getMetrics')).metrics || []).map((m) => [m.name, 1e3 * m.value]));
  await send('Performance.enable', { timeDomain: 'threadTicks' });
  const before = await spent();
  const told = await evaluate(fs.readFileSync(probe, 'utf8'));
  const after = await spent(), took = (name) => Math.round(after[name] - before[name]);
  const findings = (told.result && told.result.value) || ['WRONG ' + JSON.stringify(told)];
  for (const f of findings.filter((x) => x.startsWith('reload: '))) {
    await send('Page.reload');
    await wait(300);
    const kept = await until('document.documentElement.dataset.ready > 0 && vincolo.live.idle && (' + f.slice(8) + ')');
    findings.push((kept ? 'ok' : 'WRONG') + ' loaded again, it is as it was');
  }
  findings.filter((x) => !x.startsWith('reload: ')).forEach((f) => console.log(f));
  console.log('processor time of the page: ' + took('TaskDuration') + ' ms, of these scripts ' + took('ScriptDuration') + ', layout ' +
    (took('LayoutDuration') + took('RecalcStyleDuration')));
  await wait(200);
  const shot = await send('Page.captureScreenshot', { format: 'png' });
  fs.writeFileSync(picture, Buffer.from(shot.data, 'base64'));
  socket.close();
  end(complaints || findings.some((f) => f.startsWith('WRONG')) ? 1 : 0);
})();
