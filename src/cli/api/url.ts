import { Command, Option } from 'commander';
import { EXIT } from '../program/errors.ts';
import { inputLines, readJsonOption } from '../program/input.ts';
import { writeParts } from '../program/process-output.ts';
import { interruptible, type Terminal } from '../program/terminal.ts';

interface UrlOptions {
  readonly params?: string;
  readonly batch?: boolean;
  readonly base: string;
  readonly rootUrl?: string;
  readonly endpoint?: string;
  readonly flat?: boolean;
  readonly strict?: boolean;
  readonly lenient?: boolean;
  readonly directory?: string;
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  lockhound api url insights insights.getPackage NPM @types/node
  lockhound api url insights insights.getPackage --params '{"packageKey.system": "NPM", "packageKey.name": "ms"}'
  lockhound api url --batch --base documents < calls.jsonl

--batch reads {"doc", "methodId", "params"} lines and prints {"method", "url"} or {"error": {"code", "message"}} for each.
Bounds and formats of parameters are not checked in a batch unless --strict is given.

Exit codes: 0 done, 2 a URL could not be created.`;

/** Options that each line of a batch has itself, or that do not apply. */
const ONE_CALL_ONLY = ['params', 'rootUrl', 'endpoint', 'flat', 'directory'];

export function urlCommand(terminal: Terminal, exit: (code: number) => void): Command {
  const command = new Command('url')
    .description('Print the URL of a call. Checks its parameters and sends nothing.')
    .argument('[document]', 'a file, a URL, or a name: insights, webhooks, discovery')
    .argument('[methodId]', 'id of the method')
    .argument('[values...]', 'values of required parameters, in the order of the signature')
    .option('--params <json>', 'parameters as a JSON object; @file reads a file, - standard input')
    .addOption(
      new Option('--batch', 'print the URL of every line of standard input').conflicts(ONE_CALL_ONLY),
    )
    .option('--base <folder>', 'folder to which file names of a batch are relative', '.')
    .option('--root-url <url>', "replaces the document's root URL")
    .addOption(new Option('--endpoint <location>', 'use the endpoint for this location').conflicts('rootUrl'))
    .option('--flat', 'use flatPath with its variables as parameters')
    .option('--lenient', 'do not check bounds and formats (dates, base64, field masks)')
    .addOption(new Option('--strict', 'check bounds and formats in a batch').conflicts('lenient'))
    .option('--directory <url>', 'discovery service for other names')
    .option('--json', 'print {"method", "url"} instead of both as text')
    .addHelpText('after', EXAMPLES);
  return command.action(
    async (
      document: string | undefined,
      methodId: string | undefined,
      values: string[],
      options: UrlOptions,
    ) => {
      if (options.batch === true) {
        if (document !== undefined) {
          command.error(
            'error: --batch reads documents and methods from standard input: remove the arguments',
          );
        }
        if (await printBatch(terminal, options)) exit(EXIT.error);
      } else if (document === undefined || methodId === undefined) {
        command.error('error: name a document and a method, or use --batch');
      } else await printUrl(terminal, { ...options, document, methodId, values });
    },
  );
}

async function printUrl(
  terminal: Terminal,
  options: UrlOptions & { readonly document: string; readonly methodId: string; readonly values: string[] },
): Promise<void> {
  const { makeUrl } = await import('../../commands/api/urls.ts');
  const params = await readJsonOption('--params', options.params ?? '{}', terminal);
  const request = await interruptible((signal) =>
    makeUrl({
      ...options,
      params,
      flat: options.flat === true,
      lenient: options.lenient === true,
      signal,
    }),
  );
  terminal.out(options.json === true ? `${JSON.stringify(request)}\n` : `${request.method} ${request.url}\n`);
}

/** Prints the result of each line. Returns whether one of them is an error. */
async function printBatch(terminal: Terminal, { base, strict }: UrlOptions): Promise<boolean> {
  const { batchUrls } = await import('../../commands/api/urls.ts');
  const answers = batchUrls(inputLines(terminal), { folder: base, lenient: strict !== true });
  let failed = false;
  async function* texts() {
    for await (const answer of answers) {
      failed ||= 'error' in answer;
      yield `${JSON.stringify(answer)}\n`;
    }
  }
  await writeParts(terminal, texts());
  return failed;
}
