import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type Command, Option } from 'commander';
import type { Answered, InsightsSession } from '../../commands/insights-session.ts';
import { openFile } from '../../files/open-file.ts';
import type { QueryResult } from '../../model/api/insights-api.generated.ts';
import type { System } from '../../model/lockfile/ecosystem.ts';
import { CommandError, unreadable } from '../program/errors.ts';
import type { CommandContext } from '../program/terminal.ts';
import { type OperationOptions, operationCommand, readSystem } from './session.ts';
import { printAnswer } from './single.ts';

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

async function hashesOf({
  hash,
  file,
  name,
  system,
}: QueryOptions): Promise<readonly (string | undefined)[]> {
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
