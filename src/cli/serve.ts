import type { Command } from 'commander';
import { loadConfig } from '../config/load.ts';
import type { CommandContext } from './program/context.ts';
import { parsePort } from './program/port.ts';
import { interruptible, untilAborted } from './program/signals.ts';

const NOTES = `
Serves the live page of docs/page.md and the API of docs/api.md: \`lockhound api show lockhound\` lists its operations, and
/openapi.json describes them for other tools. Without tokens it answers programs of this machine only.

Examples:
  lockhound serve
  lockhound api call lockhound lockhound.findings.list --params '{"severity": "high"}'
  curl http://127.0.0.1:8705/api/v1/findings?severity=high

Exit codes: 0 stopped by a signal, 2 the server could not start.`;

interface Flags {
  readonly config?: string;
  readonly host?: string;
  readonly port?: number;
}

export function serveCommand(command: Command, { terminal }: CommandContext): void {
  command
    .option('-c, --config <file>', 'configuration file')
    .option('--host <address>', 'address to listen on (default: `serve.host`)')
    .option('--port <port>', 'port to listen on (default: `serve.port`; 0: any)', parsePort)
    .addHelpText('after', NOTES)
    .action(async ({ config, host, port }: Flags) => {
      const loaded = loadConfig({ file: config });
      const { startServe } = await import('../commands/serve/serve.ts');
      await interruptible(async (signal) => {
        const server = await startServe(loaded, { host, port });
        try {
          terminal.out(`API  ${server.url}/api/v1  (described by ${server.url}/openapi.json)\n`);
          terminal.out(`Page ${server.url}/\n`);
          if (server.isOpen) terminal.note('there is no token: only programs of this machine are answered\n');
          await untilAborted(signal);
        } finally {
          await server.close();
        }
      });
    });
}
