import type { Command } from 'commander';
import type { WhereAnswer } from '../../commands/fleet/where.ts';
import type { HeldPackage } from '../../model/fleet/held-package.ts';
import { whereText } from '../../report/fleet/where.ts';
import { type AdminOptions, administering, parseCount, withAdminOptions } from '../program/admin.ts';
import type { CommandContext } from '../program/context.ts';
import { EXIT } from '../program/exit-code.ts';
import { writeParts } from '../program/write-parts.ts';
import { ECOSYSTEM_HELP, jsonParts, type LabelOptions, reportUnreadable, withLabel } from './options.ts';

interface WhereOptions extends AdminOptions, LabelOptions {
  readonly ecosystem?: string;
  readonly limit?: number;
}

const administer = administering(async () => (await import('../../commands/fleet/where.ts')).openWhere);

/** Lockfiles that are shown as text. */
const DEFAULT_LIMIT = 50;

const EXAMPLES = `
Examples:
  lockhound where lodash                       every target with any version of lodash
  lockhound where 'lodash@<4.17.21'            a range, in the notation of npm
  lockhound where pkg:pypi/urllib3 '>=1.26,<2' a purl, and a range in the notation of Python
  lockhound where lodash --label team=web      only targets of one team

Names may have any spelling that their ecosystem takes as the same (\`Flask_Cors\` is \`flask-cors\` on PyPI).
Ranges: npm, cargo and golang (notation of npm), pypi (PEP 440), gem (\`~> 1.2\`). Versions of other ecosystems have
to be equal. Prereleases are in ranges.
Exit codes: 0 found, 1 no target holds it, 2 an error or an incomplete result.`;

export function whereCommand(command: Command, context: CommandContext): void {
  withLabel(withAdminOptions(command))
    .argument('<package>', 'a purl or a name, with or without `@` and a version or range')
    .argument('[range]', 'a version or a range, in place of one after `@`')
    .option('--ecosystem <name>', ECOSYSTEM_HELP)
    .option(
      '--limit <count>',
      `at most this many lockfiles (default: ${DEFAULT_LIMIT}; all with --json)`,
      parseCount,
    )
    .addHelpText('after', EXAMPLES)
    .action((text: string, range: string | undefined, options: WhereOptions) =>
      where(context, options, { text, range }),
    );
}

async function where(
  context: CommandContext,
  options: WhereOptions,
  { text, range }: { readonly text: string; readonly range: string | undefined },
): Promise<void> {
  const { terminal, exit } = context;
  const { readPackageQuery } = await import('../../operations/packages/query.ts');
  const query = readPackageQuery(text, { range, ecosystem: options.ecosystem });
  await administer(options, async (admin) => {
    const answer = await admin.find(query, options.label);
    if (answer.targets === 0) exit(EXIT.notFound);
    if (options.format === 'json') {
      await writeParts(terminal, whereJson(answer, { ...query, limit: options.limit }, admin.unreadable));
    } else {
      const places = await gather(answer.places(options.limit ?? DEFAULT_LIMIT));
      terminal.out(whereText({ ...answer, places, query: [text, range].join(' ').trim() }, terminal));
    }
    reportUnreadable(context, admin.unreadable);
  });
}

function whereJson(
  { places, ...facts }: WhereAnswer,
  {
    limit,
    ...query
  }: { readonly name: string; readonly versions: string; readonly limit: number | undefined },
  unreadable: readonly string[],
): AsyncGenerator<string> {
  const head = { schema: 'lockhound.where/1', query, ...facts };
  return jsonParts(head, 'places', places(limit), () => ({ unreadable }));
}

async function gather(places: AsyncIterable<HeldPackage>): Promise<readonly HeldPackage[]> {
  const all: HeldPackage[] = [];
  for await (const place of places) all.push(place);
  return all;
}
