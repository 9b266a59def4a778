import { z } from 'zod';
import { readFile } from '../../files/read-file.ts';
import { identityOf } from '../../fleet/identity.ts';
import { type ImageState, type JudgedImage, judgedImageSchema } from '../../model/image/image.ts';
import { systemOf } from '../../model/lockfile/ecosystem.ts';
import type { Facts, Known } from '../../model/ports/shared-state.ts';
import type { TargetState } from '../../model/scan/change.ts';
import { type Finding, findingSchema } from '../../model/scan/finding.ts';
import { GAP_KINDS } from '../../model/scan/gap.ts';
import type { VersionRecordSummary } from '../../model/scan/inventory.ts';
import { type BaseFacts, hashesOf } from '../../policy/review/compare-scans.ts';
import { deprecated } from '../../policy/rules/deprecated.ts';
import { ReviewError } from './errors.ts';

/** The part of a JSON report that a comparison needs. */
const reportSchema = z.object({
  schema: z.literal('lockhound.scan/1'),
  requestedAt: z.iso.datetime(),
  findings: z.array(findingSchema),
  image: judgedImageSchema.exactOptional(),
  gaps: z.array(z.object({ kind: z.enum(GAP_KINDS), subject: z.string(), reason: z.string() })),
  lockfiles: z.array(z.object({ path: z.string(), sha256: z.string() })),
  unread: z.array(z.object({ path: z.string(), sha256: z.string().exactOptional() })),
});

const MAX_BYTES = 536_870_912;
const SHOWN_ISSUES = 3;

/** Reads the JSON report of an earlier scan. A report that is missing or invalid is an error: an empty one would accept nothing. */
export async function readBaseline(path: string): Promise<BaseFacts> {
  const content = await readFile(path, { maxBytes: MAX_BYTES });
  const report = reportSchema.safeParse(parseJson(path, content));
  if (!report.success) {
    const issues = report.error.issues.slice(0, SHOWN_ISSUES);
    const faults = issues.map((issue) => `${issue.path.join('.') || 'it'}: ${issue.message}`);
    throw invalid(path, faults.join('; '));
  }
  const { requestedAt, findings, gaps, lockfiles, unread, image } = report.data;
  return {
    base: { kind: 'report', name: path, requestedAt },
    findings,
    gaps,
    ...(image === undefined ? {} : { image }),
    hashes: hashesOf([...lockfiles, ...unread]),
  };
}

function parseJson(path: string, content: Buffer): unknown {
  try {
    return JSON.parse(content.toString('utf8'));
  } catch (error) {
    throw invalid(path, 'it is not JSON', error);
  }
}

function invalid(path: string, fault: string, cause?: unknown): ReviewError {
  const advice = 'write one with `lockhound scan --report json=<file>`';
  return new ReviewError('baseline-invalid', `${path}: is no report of a scan (${fault}); ${advice}`, {
    cause,
  });
}

/** The state of a target whose last scan had these findings. */
export function stateOf({ base, findings, image }: BaseFacts): TargetState {
  const now = new Date().toISOString();
  // A report with a time in the future would make this scan an old one.
  const at =
    base.kind === 'report' && Date.parse(base.requestedAt) < Date.parse(now) ? base.requestedAt : now;
  return {
    revision: 1,
    scan: 'baseline',
    requestedAt: at,
    ...(image === undefined ? {} : { image: imageState(image, findings, at) }),
    findings: findings.map(({ age, due: _due, ...finding }) => {
      const openedAt = age === undefined || Date.parse(age.since) > Date.parse(at) ? at : age.since;
      return { finding, status: 'open', openedAt, changedAt: at };
    }),
  };
}

/** The state of the image of a report; the finding about it has the base before. */
function imageState(image: JudgedImage, findings: readonly Finding[], requestedAt: string): ImageState {
  const before = findings.find(({ base }) => base !== undefined)?.base?.before;
  return { ...image, requestedAt, ...(before === undefined ? {} : { before }) };
}

/**
 * Returns what the findings of an earlier report say of package versions, by identity: their advisories, and that they are deprecated. An index
 * that no longer states it may have lost its data.
 */
export function statedFacts(findings: readonly Finding[]): Pick<Facts<VersionRecordSummary>, 'read'> {
  const known = new Map<string, VersionRecordSummary>();
  for (const { package: locked, rule, advisory } of findings) {
    const system = systemOf(locked.ecosystem);
    const isDeprecated = rule === deprecated.name;
    if (system === undefined || (advisory === undefined && !isDeprecated)) continue;
    const identity = identityOf(locked);
    const before = known.get(identity);
    known.set(identity, {
      versionKey: { system, name: locked.name, version: locked.version },
      isDefault: false,
      isDeprecated: isDeprecated || before?.isDeprecated === true,
      licenses: [],
      advisoryIds: [...(before?.advisoryIds ?? []), ...(advisory === undefined ? [] : [advisory.id])],
    });
  }
  return {
    read: async (identities) =>
      identities.map((identity): Known<VersionRecordSummary> | undefined => {
        const record = known.get(identity);
        return record && { record };
      }),
  };
}
