import type { Command } from 'commander';
import { loadConfig } from '../config/load.ts';
import { closing } from '../model/closing.ts';
import { parsePort } from './program/options.ts';
import { type CommandContext, interruptible, unlessAborted, untilAborted } from './program/terminal.ts';

const NOTES = `
Serves the live page of docs/page.md and the API of docs/api.md: \`lockhound api show lockhound\` lists its operations, and
/openapi.json describes them for other tools. While there is no token it answers programs of this machine only, and nobody when other
machines reach its address. It waits for Redis; \`serve.healthPort\` shows that and its metrics without a token.

Examples:
  lockhound serve
  lockhound api call lockhound lockhound.findings.list --params '{"severity": "high"}'
  curl http://127.0.0.1:8705/api/v1/findings?severity=high

Exit codes: 0 stopped by a signal, 2 the server could not start.`;

export function serveCommand(command: Command, { terminal }: CommandContext): void {
  command
    .option('-c, --config <file>', 'configuration file')
    .option('--host <address>', 'address to listen on (default: `serve.host`)')
    .option('--port <port>', 'port to listen on (default: `serve.port`; 0: any)', parsePort)
    .addHelpText('after', NOTES)
    .action(async ({ config, host, port }: { config?: string; host?: string; port?: number }) => {
      const loaded = loadConfig({ file: config });
      const { startServe } = await import('../server/serve.ts');
      await interruptible(async (signal) => {
        const server = await unlessAborted(signal, startServe(loaded, { host, port, signal }));
        if (server === undefined) return;
        await closing(server, async () => {
          terminal.out(`API  ${server.url}/api/v1  (described by ${server.url}/openapi.json)\n`);
          terminal.out(`Page ${server.url}/\n`);
          if (server.note !== undefined) terminal.note(`${server.note}\n`);
          await untilAborted(signal);
        });
      });
    });
}
