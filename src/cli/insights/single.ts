import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Argument, type Command, Option } from 'commander';
import type { Answered, InsightsSession } from '../../commands/insights-session.ts';
import type { RestDescription } from '../../discovery/description/description.ts';
import { openFile } from '../../files/open-file.ts';
import { printableUrl } from '../../http/errors.ts';
import type { Dependencies, QueryResult } from '../../model/api/insights-api.generated.ts';
import type { System } from '../../model/lockfile/ecosystem.ts';
import { answerText } from '../../report/answer.ts';
import { renderDependencyTree } from '../../report/dependency-tree.ts';
import type { TextOptions } from '../../report/layout.ts';
import { kebab } from '../operations/derive.ts';
import { CommandError, EXIT, unreadable } from '../program/errors.ts';
import type { CommandContext } from '../program/terminal.ts';
import { type OperationOptions, operationCommand, problemsText, readSystem, withSession } from './session.ts';

/** Operations with a subject and an answer of their own: name, method, and the arguments of an example. */
export const SINGLE_OPERATIONS = [
  ['package', 'getPackage', 'npm lodash'],
  ['similar', 'getSimilarlyNamedPackages', 'npm lodash'],
  ['version', 'getVersion', 'npm lodash 4.17.21'],
  ['findings', 'getFindings', 'npm request'],
  ['version-findings', 'getVersionFindings', 'npm request 2.88.2'],
  ['requirements', 'getRequirements', 'npm express 4.18.2'],
  ['dependencies', 'getDependencies', 'npm express 4.18.2'],
  ['dependents', 'getDependents', 'npm lodash 4.17.21'],
  ['capabilities', 'getCapabilities', 'go golang.org/x/net v0.17.0'],
  ['project', 'getProject', 'github.com/lodash/lodash'],
  ['project-versions', 'getProjectPackageVersions', 'github.com/lodash/lodash'],
  ['advisory', 'getAdvisory', 'GHSA-35jh-r3h4-6jhm'],
  ['purl', 'purlLookup', 'pkg:npm/%40types/node@20.11.0'],
  ['container-images', 'queryContainerImages', 'sha256:<64 hex digits>'],
] as const;

type Ask = (
  service: InsightsSession['service'],
  subject: unknown,
  options: { readonly signal: AbortSignal },
) => Promise<Answered<unknown>>;

/** The command of an operation, whose description and arguments are those of the document. */
export function single(
  context: CommandContext,
  { methods = {} }: RestDescription,
  [name, method, example]: (typeof SINGLE_OPERATIONS)[number],
): Command {
  const { description = '', parameterOrder = [], parameters = {} } = methods[method] ?? {};
  const command = operationCommand({ name, description, example });
  const names = parameterOrder.map((parameter) => parameter.replace(/^.*\./, ''));
  for (const [index, parameter] of parameterOrder.entries()) {
    const argument = new Argument(`<${kebab(names[index] ?? '')}>`, parameters[parameter]?.description);
    command.addArgument(names[index] === 'system' ? argument.argParser(readSystem) : argument);
  }
  return command.action((...given: readonly unknown[]) => {
    const values = command.processedArgs;
    const key = Object.fromEntries(names.map((one, index) => [one, values[index]]));
    return printAnswer(context, given.at(-2) as OperationOptions, {
      method,
      ...(method === 'getDependencies' && {
        render: (graph, options) => renderDependencyTree(graph as Dependencies, options),
        absence: 'The index has not computed a graph for it; that does not mean that it depends on nothing.',
      }),
      ask: ({ operations, service }, signal) =>
        (operations[method] as Ask)(service, names.length === 1 ? values[0] : key, { signal }),
    });
  });
}

/** One question with all that is needed to print its answer. */
interface Question<Value> {
  ask(session: InsightsSession, signal: AbortSignal): Promise<Answered<Value>>;
  /** The method of the description document: its schema describes the text. */
  readonly method: string;
  /** Replaces the text that follows from the schema. */
  readonly render?: (value: Value, options: TextOptions) => string;
  /** The meaning of "not found", where it may be misunderstood. */
  readonly absence?: string;
}

/** Requests and prints the answer, or that the service has none. Throws any other error of the service. */
async function printAnswer<Value>(
  { terminal, exit }: CommandContext,
  options: OperationOptions,
  { ask, method, render, absence }: Question<Value>,
): Promise<void> {
  const answered = await withSession(options, async (session, signal) => {
    const one = await ask(session, signal);
    if (one.error?.code === 'unavailable' && options.local !== true) {
      terminal.note(unavailable(session.url));
    }
    return one;
  });
  if (answered.error?.code === 'not-found') {
    const scope =
      options.local === true ? 'The local data is small: this says nothing about the registries.' : absence;
    terminal.note(`not found: ${answered.error.message}\n${scope === undefined ? '' : `${scope}\n`}`);
    return exit(EXIT.notFound);
  }
  if (answered.error !== undefined) throw answered.error;
  terminal.note(problemsText(answered.problems));
  if (options.json === true) return terminal.out(`${answered.body.toString('utf8').trimEnd()}\n`);
  if (render !== undefined) return terminal.out(render(answered.value, terminal));
  const { insightsAnswer } = await import('../../commands/insights-session.ts');
  terminal.out(answerText(answered.value, await insightsAnswer(method), terminal));
}

function unavailable(url: string): string {
  return (
    `The service at ${printableUrl(url)} did not answer. Check the connection and insights.url. ` +
    '--local works without a network, for the few packages of the bundled data.\n'
  );
}

interface QueryOptions extends OperationOptions {
  readonly hash?: string;
  readonly file?: string;
  readonly system?: System;
  readonly name?: string;
  readonly packageVersion?: string;
}

/** Tried in this order: the ecosystems publish different ones. */
const ALGORITHMS = ['sha512', 'sha256', 'sha1', 'md5'] as const;

/** Query: by content hash, by name, or both. */
export function query(context: CommandContext): Command {
  return operationCommand({
    name: 'query',
    description:
      'Versions by the hash of an artifact, by name, or both. "Not found" means unknown, not that an artifact was changed.',
    example: '--file lodash-4.17.21.tgz\n  lockhound insights query --hash sha512:<hex or base64>',
  })
    .option('--hash <type:value>', 'md5, sha1, sha256 or sha512, in hex or base64; or sha512-<base64>')
    .addOption(new Option('--file <artifact>', 'query by the hashes of this file').conflicts('hash'))
    .addOption(new Option('--system <system>', 'with --name').argParser(readSystem))
    .option('--name <name>', 'name of the package')
    .option('--package-version <version>', 'one version of the package')
    .action(async (options: QueryOptions) => {
      const hashes = await hashesOf(options);
      await printAnswer(context, options, {
        ask: (session, signal) => ask(session, options, hashes, signal),
        method: 'query',
        ...(hashes[0] !== undefined && {
          absence: 'The index does not know the hash; that does not mean that the artifact was changed.',
        }),
      });
    });
}

async function hashesOf(options: QueryOptions): Promise<readonly (string | undefined)[]> {
  const { hash, file, name, system } = options;
  if (file !== undefined) return await hashFile(file);
  if (hash === undefined && (name === undefined || system === undefined)) {
    throw new CommandError('nothing-asked', 'give --hash, --file, or --system and --name');
  }
  return [hash];
}

/** The answer for the first hash that the index knows. */
async function ask(
  { operations, service }: InsightsSession,
  { system, name, packageVersion: version }: QueryOptions,
  hashes: readonly (string | undefined)[],
  signal: AbortSignal,
): Promise<Answered<QueryResult>> {
  let answered: Answered<QueryResult> | undefined;
  for (const hash of hashes) {
    answered = await operations.query(service, { system, name, version, hash }, { signal });
    if (answered.error?.code !== 'not-found') break;
  }
  if (answered === undefined) throw new RangeError('a query has at least one hash or a name');
  return answered;
}

/** All hashes of a file, read once. Throws `CommandError` when it cannot be read. */
async function hashFile(file: string): Promise<readonly string[]> {
  const hashes = ALGORITHMS.map((algorithm) => ({ algorithm, hash: createHash(algorithm) }));
  try {
    const { descriptor } = await openFile(file);
    const chunks: AsyncIterable<Buffer> = createReadStream('', { fd: descriptor });
    for await (const chunk of chunks) for (const { hash } of hashes) hash.update(chunk);
  } catch (error) {
    throw unreadable(file, error);
  }
  return hashes.map(({ algorithm, hash }) => `${algorithm}:${hash.digest('base64')}`);
}
