/* Who answers a page without a server: the engine in a worker.
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

  /* One question at a time; a newer one takes the place of one that is being answered, and its worker ends. */
  let worker = null, asked = null, last = 0; // worker: a promise of one
  function settle(reply) {
    const { done } = asked;
    asked = null;
    done(reply);
  }
  function dismiss() {
    const old = worker;
    worker = null;
    if (old) old.then((w) => w.terminate(), () => {});
  }
  async function hired() {
    const module = await compiled, made = new Worker(script);
    made.postMessage({ module, files });
    made.onmessage = (m) => { if (asked && asked.id === m.data.id) settle(m.data); };
    made.onerror = (e) => { // out of stack, say: the next question begins anew
      e.preventDefault();
      dismiss();
      if (asked) settle({ status: 500, why: e.message });
    };
    return made;
  }
  async function post(question, body) {
    worker = worker || hired();
    const at = await worker;
    if (asked !== question) return;
    question.posted = true;
    at.postMessage({ id: question.id, body }, [body.buffer]);
  }
  async function run(body) {
    if (asked && asked.posted) dismiss();
    if (asked) settle({ status: 409 });
    const question = { id: ++last, posted: false, done: null };
    const reply = await new Promise((done) => {
      question.done = done;
      asked = question;
      post(question, body).catch((e) => { dismiss(); done({ status: 500, why: e.message }); });
    });
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
