import type { Command } from 'commander';
import { readBundledDescription } from '../../discovery/bundled.ts';
import { answerText } from '../../report/answer.ts';
import { keyText } from '../../report/dependency-tree.ts';
import { EXIT } from '../program/errors.ts';
import type { CommandContext } from '../program/terminal.ts';
import { batch } from './batch.ts';
import { readSubjectItem, readTextItem, readVersionItem } from './batch-file.ts';
import { query } from './query.ts';
import { type OperationOptions, operationCommand, withSession } from './session.ts';
import { SINGLE_OPERATIONS, single } from './single.ts';

/** What the line of a version shows. */
const VERSION_LINE = ['publishedAt', 'licenses', 'isDeprecated', 'advisoryKeys'] as const;

/** The operations that are not single: what each is called, asks for and prints. */
const OPERATIONS: readonly ((context: CommandContext) => Command)[] = [
  query,
  batch({
    name: 'versions',
    description: 'Many versions at once.',
    example: '--file versions.txt   (npm lodash 4.17.21)',
    read: readVersionItem,
    run: ({ versions }) => versions,
    subject: keyText,
    shows: { method: 'getVersion', properties: ['versionKey', ...VERSION_LINE] },
    asSent: (versionKey) => ({ versionKey }),
  }),
  batch({
    name: 'findings-batch',
    description: 'What the service says of many packages or versions at once; a service may not have it.',
    example: '--file subjects.txt   (npm lodash, or npm lodash 4.17.21)',
    read: readSubjectItem,
    run: ({ findings }) => findings,
    subject: (subject) => keyText(subject),
    shows: { method: 'getFindings', properties: ['requestedVersion', 'packageFindings'] },
    asSent: (subject) => ('version' in subject ? { versionKey: subject } : { packageKey: subject }),
  }),
  batch({
    name: 'projects',
    description: 'Many projects at once.',
    example: '--file projects.txt   (github.com/lodash/lodash)',
    read: readTextItem('id'),
    run: ({ projects }) => projects,
    subject: (id) => id,
    shows: { method: 'getProject', properties: ['projectKey', 'license', 'starsCount'] },
    asSent: (id) => ({ projectKey: { id } }),
  }),
  batch({
    name: 'purls',
    description: 'Many purls at once, each with a version.',
    example: '--file purls.txt   (pkg:npm/lodash@4.17.21)',
    read: readTextItem('purl'),
    run: ({ purls }) => purls,
    subject: (purl) => purl,
    shows: { method: 'purlLookup', properties: ['purl', ...VERSION_LINE] },
    asSent: (purl) => ({ purl }),
  }),
];

const EXAMPLES = `
Examples:
  lockhound insights package npm lodash
  lockhound insights dependencies npm express 4.18.2
  lockhound insights versions --file versions.txt --json
  lockhound insights query --file lodash-4.17.21.tgz
  lockhound insights version npm lodash 4.17.20 --local      without network, from the bundled data
  lockhound insights base-image image.tar                    what a container image is built on

Exit codes: 0 found, 1 not found, 2 error.`;

export async function insightsCommand(): Promise<(group: Command, context: CommandContext) => void> {
  const document = await readBundledDescription('insights.v3alpha');
  return (group, context) => {
    group.addHelpText('after', EXAMPLES);
    for (const operation of SINGLE_OPERATIONS) group.addCommand(single(context, document, operation));
    for (const operation of [...OPERATIONS, baseImage]) group.addCommand(operation(context));
  };
}

interface BaseImageOptions extends Omit<OperationOptions, 'json'> {
  readonly json?: boolean;
  readonly platform?: string;
  readonly baseline?: string;
}

const EXIT_CODES = `
Only chain identifiers of layers are sent. An archive is one of \`docker save\` or an OCI archive, not compressed.
Exit codes: 0 found and not changed, 1 no public image, or changed since the baseline, 2 error.`;

/** QueryContainerImages for the layers of an image: which public image it is built on. */
function baseImage({ terminal, exit }: CommandContext): Command {
  return operationCommand({
    name: 'base-image',
    description: 'The public image that an OCI layout folder or an archive of an image is built on.',
    example: 'image.tar --baseline last.json',
  })
    .argument('<image>', 'OCI layout folder, OCI archive, or archive of `docker save`')
    .option('--platform <os/arch>', 'of several images, this one (default: linux/amd64)')
    .option('--baseline <file>', 'an earlier result (--json): say whether the base changed')
    .addHelpText('after', EXIT_CODES)
    .action(async (image: string, options: BaseImageOptions) => {
      const { findBaseImage } = await import('../../commands/base-image.ts');
      const { platform, baseline } = options;
      const report = await withSession(options, (session, signal) =>
        findBaseImage(session, image, { platform, baseline, signal }),
      );
      if (report.base === undefined || report.change !== undefined) exit(EXIT.notFound);
      if (options.json === true) return terminal.out(`${JSON.stringify(report)}\n`);
      const { schema: _, base = 'no public image has its layers', ...others } = report;
      terminal.out(answerText({ base, ...others }, { schema: {}, schemas: {}, leavesOut: true }, terminal));
    });
}
