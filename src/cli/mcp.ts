import type { Command } from 'commander';
import { readBundledDescription } from '../discovery/bundled.ts';
import type { CallOperation } from '../operations/call.ts';
import { Refusal } from '../operations/refusal.ts';
import { NOUN as CHECK } from './operations/nouns/check.ts';
import { openCaller, type ServerOptions, withServer } from './operations/open-caller.ts';
import { withConfig } from './program/options.ts';
import { interruptible } from './program/terminal.ts';

const NOTES = `
Speaks the Model Context Protocol on standard input and output. The tools check_packages, where_used, explain_finding, suggest_fix and
open_findings change nothing. Without --server, serve.url and redis.url it has check_packages alone. \`lockhound serve\` speaks it at
/mcp (streamable HTTP), with the rights of the token of each request (docs/gate.md).

Exit codes: 0 the input ended, 2 an error.`;

export function mcpCommand(command: Command): void {
  withServer(withConfig(command))
    .addHelpText('after', NOTES)
    .action(async (options: ServerOptions) => {
      const caller = await openCaller(options, CHECK.verbs['check']);
      const call: CallOperation = async (id, params, more) => {
        if (caller.only === undefined || caller.only === id) return await caller.call(id, params, more);
        throw new Refusal(503, 'nothing-stored', 'nothing is stored here: it needs redis.url, or --server');
      };
      const { createMcpServer, serveStdio } = await import('../server/mcp.ts');
      const server = createMcpServer(await readBundledDescription('lockhound.v1'), call);
      await interruptible((signal) => serveStdio(server, signal)).finally(caller.close);
    });
}
