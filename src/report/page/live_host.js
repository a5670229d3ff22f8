/* Who answers a live page: vincolo live, by HTTP.
 * SPDX-License-Identifier: BSD-3-Clause */
'use strict';

const vincoloHost = {
  async given() { return (await fetch('given')).json(); },
  /* status as of HTTP: 200 with an answer, 409: given up for a newer one. */
  async run(body) {
    const reply = await fetch('run', { method: 'POST', body });
    return { status: reply.status, answer: reply.ok ? await reply.json() : null };
  },
  async save(text) { return (await fetch('save', { method: 'POST', body: text })).json(); },
  async share() {
    const reply = await fetch('share', { method: 'POST' });
    return reply.ok ? { page: await reply.blob() } : { why: await reply.text() };
  },
};
