import { hash } from 'node:crypto';
import { z } from 'zod';
import { lazily } from '../../model/lazily.ts';
import { formatVersionKey, SYSTEMS, systemOf } from '../../model/lockfile/ecosystem.ts';
import type { Integrity, LockedPackage } from '../../model/lockfile/lockfile.ts';
import { chunks } from '../../model/yielding.ts';
import { type FollowUp, followUp, type JobType } from '../job.ts';
import { keyHash, printableText, scanId, timestamp } from './fields.ts';

/** Package versions of one job. */
export const PACKAGES_PER_INSPECTION = 50;

/** Packages that one depends on. */
export const MAX_REQUIRED = 100;
const MAX_PROJECTS = 1_000;

const digest = () =>
  z
    .string()
    .regex(/^(?:md5|sha1|sha256|sha512)-[A-Za-z0-9+/]+={0,2}$/)
    .max(100);

const schema = lazily(() =>
  z.strictObject({
    inspection: scanId().describe('Id of the scan, or of the repeated inspection.'),
    requestedAt: timestamp(),
    target: printableText(1, 200).optional().describe('The target whose lockfiles have the packages.'),
    packages: z
      .array(
        z.strictObject({
          system: z.enum(SYSTEMS),
          name: printableText(1, 1_000),
          version: printableText(1, 1_000),
          newDirect: z.boolean().optional().describe('True for a direct dependency that a target added.'),
          requires: z
            .array(printableText(1, 1_000))
            .max(MAX_REQUIRED)
            .optional()
            .describe('Names of the packages that it depends on in the lockfile; absent when not known.'),
          script: z
            .enum(['none', 'known', 'new'])
            .optional()
            .describe(
              'Whether it runs a script at installation; `new`: no version seen before did, and one did not. Absent when the lockfile does not state it.',
            ),
          digests: z.array(digest()).max(8).optional().describe('Digests in the lockfile.'),
        }),
      )
      .max(PACKAGES_PER_INSPECTION),
    projects: z
      .array(z.string().min(1).max(500))
      .max(MAX_PROJECTS)
      .optional()
      .describe('Source projects whose scorecards are looked up anew.'),
    witnesses: z
      .array(z.strictObject({ system: z.enum(SYSTEMS), digest: digest() }))
      .max(24)
      .optional()
      .describe('Digests of other packages of the lockfiles, which show whether the index knows digests.'),
  }),
);

export type InspectPackages = z.infer<ReturnType<typeof schema>>;
export type InspectedPackage = InspectPackages['packages'][number];

/** Looks for signs of a compromise in package versions that are new to the fleet. */
export const INSPECT_PACKAGES: JobType<InspectPackages> = {
  name: 'inspect-packages',
  version: 1,
  schema,
  // What a repetition inspects may differ from what the first run inspected.
  key: ({ inspection, packages, projects = [] }) =>
    `${inspection}.${keyHash([...packages.map(subjectIn), ...projects].join('\n'), 16)}`,
};

function subjectIn({ system, name, version, digests = [] }: InspectedPackage): string {
  return subjectOf(formatVersionKey({ system, name, version }), digests);
}

/** Inspects versions again, at a due time. */
export function inspectionsDue(
  packages: readonly Pick<InspectedPackage, 'system' | 'name' | 'version'>[],
  due: Date,
  /** Tells inspections of one time apart. */
  prefix = 'young',
): readonly FollowUp[] {
  const requestedAt = due.toISOString();
  const inspection = `${prefix}.${requestedAt.replaceAll(/[^\dTZ]/g, '')}`;
  return chunks(packages, PACKAGES_PER_INSPECTION).map((part) =>
    followUp(INSPECT_PACKAGES, { inspection, requestedAt, packages: [...part] }),
  );
}

/** Looks the scorecards of source projects up again, at a due time. */
export function projectsDue(ids: readonly string[], due: Date): readonly FollowUp[] {
  const requestedAt = due.toISOString();
  const inspection = `projects.${requestedAt.replaceAll(/[^\dTZ]/g, '')}`;
  return chunks(ids, MAX_PROJECTS).map((projects) =>
    followUp(INSPECT_PACKAGES, { inspection, requestedAt, packages: [], projects: [...projects] }),
  );
}

/** Identifies that versions of a package with or without a script at installation were seen. */
export function scriptSubject(
  { system, name }: Pick<InspectedPackage, 'system' | 'name'>,
  has: 'script' | 'no-script',
): string {
  return `${has} ${system}:${name}`;
}

/** Identifies what is inspected: a version, with the digests that a lockfile states for it. */
export function subjectOf(identity: string, digests: readonly string[]): string {
  if (digests.length === 0) return identity;
  return `${identity} ${hash('sha256', digests.join(' '), 'base64url').slice(0, 22)}`;
}

const BYTES: Readonly<Record<string, number>> = { md5: 16, sha1: 20, sha256: 32, sha512: 64 };
/** The usual digest of npm, as it is written without unused bits. */
const SHA512 = /^[A-Za-z0-9+/]{85}[AQgw]==$/;
/** A Python package has a digest for each of its files. */
const MAX_DIGESTS = 8;

/**
 * The digests of a package that the index may know, as `sha512-<Base64>`. Others are not of the published artifact: the checksum of
 * Yarn 2 and later, the content hash of NuGet, `h1:` of Go (field notes, "Hashes").
 */
export function statedDigests({
  ecosystem,
  integrity,
}: Pick<LockedPackage, 'ecosystem' | 'integrity'>): readonly string[] {
  const system = systemOf(ecosystem);
  if (system === undefined || system === 'NUGET' || system === 'GO') return [];
  const usable: string[] = [];
  for (const one of integrity) {
    if (system === 'NPM' && one.algorithm === 'sha512' && one.encoding === 'hex') continue;
    const digest = digestOf(one);
    if (digest !== undefined) usable.push(digest);
  }
  return usable.length < 2 ? usable : [...new Set(usable)].slice(0, MAX_DIGESTS);
}

function digestOf({ algorithm, value, encoding }: Integrity): string | undefined {
  if (encoding === 'base64' && algorithm === 'sha512' && SHA512.test(value)) return `sha512-${value}`;
  const digest = Buffer.from(value, encoding);
  if (digest.length === 0 || digest.length !== BYTES[algorithm]) return undefined;
  return `${algorithm}-${digest.toString('base64')}`;
}
