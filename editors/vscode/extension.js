/* Starts the language server.
 * SPDX-License-Identifier: BSD-3-Clause */
'use strict';
const { workspace } = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

let client = null;

exports.activate = () => {
  const settings = workspace.getConfiguration('vincolo');
  const args = ['lsp', ...settings.get('libraries').flatMap((folder) => ['-L', folder])];
  client = new LanguageClient('vincolo', 'Vincolo', { command: settings.get('path'), args }, {
    documentSelector: [{ scheme: 'file', language: 'modelica' }],
  });
  return client.start();
};

exports.deactivate = () => (client ? client.stop() : undefined);
