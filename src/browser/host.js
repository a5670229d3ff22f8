/* Who answers a page without a server: the engine in a worker. A request that is overtaken ends with its worker.
 * SPDX-License-Identifier: BSD-3-Clause */
'use strict';

const vincoloHost = (() => {
  const source = document.documentElement.outerHTML; // as it came: nothing has run before this
  const block = (id) => document.getElementById(id).textContent;
  const given = JSON.parse(block('given'));

  async function unpacked(words) {
    const packed = Uint8Array.from(atob(words.trim()), (c) => c.charCodeAt(0));
    return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
  }
  const compiled = (async () => WebAssembly.compile(await unpacked(block('engine'))))();
  const files = JSON.parse(block('files'));
  const script = URL.createObjectURL(new Blob([block('worker')], { type: 'text/javascript' }));

  let worker = null, asked = null;
  async function hired() {
    const module = await compiled, made = new Worker(script);
    made.postMessage({ module, files });
    made.onmessage = (m) => { const done = asked; asked = null; if (done) done(m.data); };
    made.onerror = (e) => { // out of stack, say: another one begins anew
      const done = asked;
      e.preventDefault();
      made.terminate();
      asked = worker = null;
      if (done) done({ status: 500, why: e.message });
    };
    return made;
  }
  async function run(body) {
    if (asked) {
      const overtaken = asked;
      asked = null;
      (await worker).terminate();
      worker = null;
      overtaken({ status: 409 });
    }
    if (!worker) worker = hired();
    const at = await worker;
    const reply = await new Promise((done) => { asked = done; at.postMessage({ body }, [body.buffer]); });
    if (reply.why) throw new Error(reply.why);
    return { status: reply.status, answer: reply.text ? JSON.parse(reply.text) : null };
  }

  /* This page, with the text and the values that it has now. */
  function share(now) {
    const words = JSON.stringify({ ...given, ...now }).replace(/</g, '\\u003c');
    const begin = source.indexOf('>', source.indexOf('id="given"')) + 1, end = source.indexOf('</script>', begin);
    return { page: new Blob(['<!DOCTYPE html>\n', source.slice(0, begin), words, source.slice(end)], { type: 'text/html' }) };
  }
  return { given: async () => given, run, share: async (now) => share(now) };
})();
