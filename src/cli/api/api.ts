import { Command } from 'commander';
import type { Documents } from '../../commands/api/documents.ts';
import { BUNDLED_APIS, readBundledDescription } from '../../discovery/bundled.ts';
import { compareDescriptions } from '../../discovery/compare/descriptions.ts';
import { findMethod } from '../../discovery/description/methods.ts';
import { type OutlineLine, outlineSchema } from '../../discovery/description/schema-outline.ts';
import { summarizeApi } from '../../discovery/description/summary.ts';
import { type DirectoryItem, openDirectory } from '../../discovery/directory/directory-list.ts';
import { countDifferences } from '../../model/api/contract.ts';
import { columnsText } from '../operations/short-answer.ts';
import { EXIT } from '../program/errors.ts';
import { type CommandContext, interruptible, type Terminal } from '../program/terminal.ts';
import { callCommand } from './call.ts';
import { urlCommand } from './url.ts';
import { validateCommand } from './validate.ts';

const COMMANDS = [listCommand, showCommand, validateCommand, urlCommand, callCommand, diffCommand];

export function apiCommand(api: Command, { terminal, exit }: CommandContext): void {
  for (const command of COMMANDS) api.addCommand(command(terminal, exit));
}

interface ApiOptions {
  readonly directory?: string;
  readonly name?: string;
  readonly preferred?: boolean;
  readonly json?: boolean;
}

/** Runs `work` with access to documents, until a signal interrupts it. */
async function withDocuments<Result>(
  { directory }: ApiOptions,
  work: (documents: Documents, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const documents = await import('../../commands/api/documents.ts');
  return await interruptible((signal) =>
    documents.withDocuments({ directory, signal }, (opened) => work(opened, signal)),
  );
}

const DOCUMENT = 'a file, a URL, or a name: insights, webhooks, discovery, lockhound';

/** The properties that are shown as text. */
const COLUMNS = {
  items: 'id title labels preferred documentUrl',
  parameters: 'name required location type format repeated default enum description',
  enum: 'value',
};

function print(terminal: Terminal, { json }: ApiOptions, value: object, shown: object = value): void {
  terminal.out(json === true ? `${JSON.stringify(value, null, 2)}\n` : columnsText(shown, COLUMNS, terminal));
}

function listCommand(terminal: Terminal): Command {
  return new Command('list')
    .description('List the APIs of a discovery service, or the bundled documents.')
    .option('--directory <url>', 'root of the discovery service, or the address of its list')
    .option('--name <name>', 'only APIs with this name')
    .option('--preferred', 'only the preferred version of each API')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExamples:\n  lockhound api list\n  lockhound api list --directory https://www.googleapis.com --preferred',
    )
    .action(async (options: ApiOptions) => print(terminal, options, { items: await listApis(options) }));
}

/** Lists the APIs of a directory, or the bundled ones. Throws `DiscoveryError` and `HttpError`. */
async function listApis(options: ApiOptions): Promise<readonly DirectoryItem[]> {
  const { directory: url, name, preferred = false } = options;
  if (url === undefined) {
    const items = await Promise.all([...BUNDLED_APIS.values()].map(bundledItem));
    return items.filter((item) => name === undefined || item.name === name);
  }
  return await withDocuments(options, async ({ http }, signal) =>
    (await openDirectory({ http, url })).list({ preferred, signal, name }),
  );
}

async function bundledItem(api: Parameters<typeof readBundledDescription>[0]): Promise<DirectoryItem> {
  const found = await readBundledDescription(api);
  const { name = '', version = '', title = '', description = '', labels = [] } = found;
  return { id: `${name}:${version}`, name, version, title, description, labels, preferred: true };
}

function showCommand(terminal: Terminal): Command {
  return new Command('show')
    .description('Show the methods of a document with their parameters and scopes, or one method in full.')
    .argument('<document>', DOCUMENT)
    .argument('[methodId]', 'show this method with its schemas')
    .option('--directory <url>', 'discovery service for other names')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  lockhound api show insights\n' +
        '  lockhound api show insights insights.getVersion\n' +
        '  lockhound api show sheets:v4 --directory https://www.googleapis.com',
    )
    .action(async (named: string, methodId: string | undefined, options: ApiOptions) => {
      const document = await withDocuments(options, ({ load }) => load(named));
      const api = summarizeApi(document);
      if (methodId === undefined)
        return print(terminal, options, api, { ...api, schemas: api.schemas.length });
      const { id } = findMethod(document, methodId);
      const method = api.methods.find((one) => one.id === id);
      if (method === undefined) throw new RangeError(`${id} is in the index and not in the summary`);
      const outline = (name: string | null) =>
        name === null ? [] : outlineSchema(document, name, OUTLINE_DEPTH);
      const [requestSchema, responseSchema] = [outline(method.request), outline(method.response)];
      const shown = {
        requestSchema: requestSchema.map(outlineRow),
        responseSchema: responseSchema.map(outlineRow),
      };
      print(terminal, options, { ...method, requestSchema, responseSchema }, { ...method, ...shown });
    });
}

const OUTLINE_DEPTH = 3;

/** The name of a property is indented by its depth. */
function outlineRow({ depth, name, description, ...others }: OutlineLine) {
  return { name: `${'  '.repeat(depth)}${name}`, ...others, description };
}

function diffCommand(terminal: Terminal, exit: (code: number) => void): Command {
  return new Command('diff')
    .description('Compare two documents from the view of a client of the first. Ignores documentation.')
    .argument('<old>', DOCUMENT)
    .argument('<new>', 'the same')
    .option('--directory <url>', 'discovery service for other names')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExample:\n  lockhound api diff insights published.json\n\n' +
        'Exit codes: 0 no breaking difference, 1 breaking differences, 2 the documents could not be compared.',
    )
    .action(async (before: string, after: string, options: ApiOptions) => {
      const differences = await withDocuments(options, async ({ load }) =>
        compareDescriptions(await load(before), await load(after)),
      );
      const breaking = differences.some(({ class: severity }) => severity === 'breaking');
      print(terminal, options, { breaking, counts: countDifferences(differences), differences });
      if (breaking) exit(EXIT.findings);
    });
}
