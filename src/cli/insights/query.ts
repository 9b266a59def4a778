import { createHash } from 'node:crypto';
import { type Command, Option } from 'commander';
import type { InsightsAnswer, InsightsSession } from '../../commands/insights-session.ts';
import { openFile } from '../../files/open-file.ts';
import type { QueryResult } from '../../model/api/insights-api.generated.ts';
import type { System } from '../../model/scan/version-key.ts';
import { renderQuery } from '../../report/insights/found.ts';
import { CommandError, unreadable } from '../errors.ts';
import { readSystem } from './arguments.ts';
import { answer, type Console, type OperationOptions, operation } from './operation.ts';

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
export function queryCommand(console: Console): Command {
  return operation(
    'query',
    'Versions by the hash of an artifact, by name, or both. Not found means unknown, never that something was changed.',
    '--file lodash-4.17.21.tgz\n  lockhound insights query --hash sha512:<hex or base64>',
  )
    .option(
      '--hash <type:value>',
      'md5, sha1, sha256 or sha512, in hex or base64; sha512-<base64> is fine too',
    )
    .addOption(new Option('--file <artifact>', 'hash this file and ask for it').conflicts('hash'))
    .addOption(new Option('--system <system>', 'with --name').argParser(readSystem))
    .option('--name <name>', 'name of the package')
    .option('--package-version <version>', 'one version of the package')
    .action(async (options: QueryOptions) => {
      const hashes = await hashesOf(options);
      const asked = (session: InsightsSession, signal: AbortSignal) => ask(session, options, hashes, signal);
      const absence =
        hashes[0] === undefined ? '' : 'The index does not know it; that does not mean that it was changed.';
      await answer(console, options, asked, renderQuery, absence);
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

/** The first hash that the index knows decides. */
async function ask(
  { operations, service }: InsightsSession,
  { system, name, packageVersion }: QueryOptions,
  hashes: readonly (string | undefined)[],
  signal: AbortSignal,
): Promise<InsightsAnswer<QueryResult>> {
  const named = {
    ...(system === undefined ? {} : { system }),
    ...(name === undefined ? {} : { name }),
    ...(packageVersion === undefined ? {} : { version: packageVersion }),
  };
  let answered: InsightsAnswer<QueryResult> | undefined;
  for (const hash of hashes) {
    const criteria = hash === undefined ? named : { ...named, hash };
    answered = await operations.query(service, criteria, { signal });
    if (answered.error?.code !== 'not-found') break;
  }
  if (answered === undefined) throw new RangeError('nothing was asked for');
  return answered;
}

/** All hashes of a file in one reading. Throws `CommandError` when it cannot be read. */
async function hashFile(file: string): Promise<readonly string[]> {
  const hashes = ALGORITHMS.map((algorithm) => ({ algorithm, hash: createHash(algorithm) }));
  try {
    const { handle } = await openFile(file);
    const chunks: AsyncIterable<Buffer> = handle.createReadStream();
    for await (const chunk of chunks) for (const { hash } of hashes) hash.update(chunk);
  } catch (error) {
    throw unreadable(file, error);
  }
  return hashes.map(({ algorithm, hash }) => `${algorithm}:${hash.digest('base64')}`);
}
