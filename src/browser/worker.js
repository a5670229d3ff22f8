/* The worker of host.js, behind engine.js: first the module and its files, then requests.
 * SPDX-License-Identifier: BSD-3-Clause */
let engine = null;
onmessage = (m) => {
  if (m.data.module) {
    const files = new Map(Object.entries(m.data.files).map(([path, words]) => [path, new TextEncoder().encode(words)]));
    engine = vincoloEngine.begin(m.data.module, files);
    return;
  }
  const { status, text } = engine.answer(m.data.body);
  postMessage({ id: m.data.id, status: [200, 409, 400][status], text });
};
