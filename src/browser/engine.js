/* The engine as a function from requests to answers: the module, what it asks of a system, and a folder of files that it
 * may read. Runs in a worker of the page, and in node for its tests.
 * SPDX-License-Identifier: BSD-3-Clause */
'use strict';

const vincoloEngine = (() => {
  const OK = 0, BADF = 8, NOENT = 44, NOSYS = 52, ROFS = 69;
  const DIRECTORY = 3, REGULAR = 4, ROOT_FD = 3;

  /* What WASI (snapshot preview 1) has for reading; all else is refused. files: bytes by path, "lib/Vincolo/package.mo". */
  function system(files, memory) {
    const open = new Map([[ROOT_FD, { path: '' }]]); // by descriptor: path, bytes where it is a file, place
    const folders = new Set(['']);
    for (const path of files.keys()) {
      const parts = path.split('/');
      for (let k = 1; k < parts.length; k++) folders.add(parts.slice(0, k).join('/'));
    }
    let next = ROOT_FD + 1;
    const view = () => new DataView(memory().buffer);
    const bytesAt = (at, n) => new Uint8Array(memory().buffer, at, n);
    const textAt = (at, n) => new TextDecoder().decode(bytesAt(at, n));

    function resolve(fd, at, n) {
      const from = open.get(fd);
      const parts = [];
      for (const part of ((from ? from.path : '') + '/' + textAt(at, n)).split('/')) {
        if (part === '..') parts.pop();
        else if (part && part !== '.') parts.push(part);
      }
      return parts.join('/');
    }
    function entries(path) {
      const names = new Map();
      const begin = path ? path + '/' : '';
      for (const file of files.keys()) {
        if (!file.startsWith(begin)) continue;
        const [name, ...more] = file.slice(begin.length).split('/');
        names.set(name, more.length ? DIRECTORY : REGULAR);
      }
      return [...names];
    }
    function writeStat(at, path) {
      const v = view(), bytes = files.get(path);
      bytesAt(at, 64).fill(0);
      v.setUint8(at + 16, bytes ? REGULAR : DIRECTORY);
      v.setBigUint64(at + 24, 1n, true);
      v.setBigUint64(at + 32, BigInt(bytes ? bytes.length : 0), true);
      return OK;
    }
    return {
      clock_time_get(id, precision, at) {
        const now = id === 0 ? Date.now() : performance.now();
        view().setBigUint64(at, BigInt(Math.round(now * 1e6)), true);
        return OK;
      },
      fd_prestat_get(fd, at) {
        if (fd !== ROOT_FD) return BADF;
        view().setUint32(at, 0, true);
        view().setUint32(at + 4, 1, true);
        return OK;
      },
      fd_prestat_dir_name(fd, at) {
        bytesAt(at, 1)[0] = 47; // "/"
        return OK;
      },
      fd_fdstat_get(fd, at) {
        const file = open.get(fd);
        if (!file) return BADF;
        bytesAt(at, 24).fill(0);
        view().setUint8(at, file.bytes ? REGULAR : DIRECTORY);
        view().setBigUint64(at + 8, ~0n, true);
        view().setBigUint64(at + 16, ~0n, true);
        return OK;
      },
      path_open(fd, look, at, n, flags, rights, inherited, how, to) {
        const path = resolve(fd, at, n);
        if (flags & 1) return ROFS; // to be made
        if (!files.has(path) && !folders.has(path)) return NOENT;
        open.set(next, { path, bytes: files.get(path), place: 0 });
        view().setUint32(to, next++, true);
        return OK;
      },
      path_filestat_get(fd, look, at, n, to) {
        const path = resolve(fd, at, n);
        return files.has(path) || folders.has(path) ? writeStat(to, path) : NOENT;
      },
      fd_filestat_get(fd, at) { return open.has(fd) ? writeStat(at, open.get(fd).path) : BADF; },
      fd_read(fd, parts, n, to) {
        const file = open.get(fd), v = view();
        if (!file || !file.bytes) return BADF;
        let all = 0;
        for (let k = 0; k < n; k++) {
          const at = v.getUint32(parts + 8 * k, true), size = v.getUint32(parts + 8 * k + 4, true);
          const part = file.bytes.subarray(file.place, file.place + size);
          bytesAt(at, part.length).set(part);
          file.place += part.length;
          all += part.length;
        }
        v.setUint32(to, all, true);
        return OK;
      },
      fd_seek(fd, by, from, to) {
        const file = open.get(fd);
        if (!file || !file.bytes) return BADF;
        file.place = Math.max(0, [0, file.place, file.bytes.length][from] + Number(by));
        view().setBigUint64(to, BigInt(file.place), true);
        return OK;
      },
      fd_readdir(fd, at, room, cookie, to) {
        const file = open.get(fd);
        if (!file || file.bytes) return BADF;
        const v = view(), list = entries(file.path);
        let used = 0;
        for (let k = Number(cookie); k < list.length && used < room; k++) {
          const name = new TextEncoder().encode(list[k][0]), entry = new Uint8Array(24 + name.length), e = new DataView(entry.buffer);
          e.setBigUint64(0, BigInt(k + 1), true);
          e.setBigUint64(8, BigInt(k + 1), true);
          e.setUint32(16, name.length, true);
          e.setUint8(20, list[k][1]);
          entry.set(name, 24);
          const part = entry.subarray(0, room - used);
          bytesAt(at + used, part.length).set(part);
          used += part.length;
        }
        v.setUint32(to, used, true);
        return OK;
      },
      fd_close(fd) { return open.delete(fd) ? OK : BADF; },
      proc_exit(status) { throw new Error('the engine has stopped: ' + status); },
    };
  }

  /* { answer(request: bytes) -> { status, text } }; module: compiled. */
  function begin(module, files) {
    let instance = null;
    const known = system(files, () => instance.exports.memory), wasi = {};
    for (const { name } of WebAssembly.Module.imports(module)) wasi[name] = known[name] || (() => NOSYS);
    instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: wasi });
    const e = instance.exports;
    e._initialize();
    if (e.engine_begin()) throw new Error('the engine does not begin: too little memory');
    return {
      answer(request) {
        const at = e.engine_room(request.length);
        if (!at) throw new Error('too little memory');
        new Uint8Array(e.memory.buffer, at, request.length).set(request);
        const status = e.engine_answer(request.length);
        const text = new Uint8Array(e.memory.buffer, e.engine_text(), e.engine_size());
        return { status, text: new TextDecoder().decode(text) };
      },
    };
  }
  return { begin };
})();

if (typeof module !== 'undefined') module.exports = vincoloEngine;
