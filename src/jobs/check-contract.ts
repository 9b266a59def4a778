import { z } from 'zod';
import { lazily } from '../model/lazily.ts';
import type { Verdict } from '../model/scan/verdict.ts';
import { VERDICT } from '../model/stored/catalog.ts';
import { contractDrift } from '../policy/contract-drift.ts';
import { fetchAll } from '../scan/attempt.ts';
import { type FollowUp, followUp, type Job } from './job.ts';
import { scanId, timestamp } from './payloads/fields.ts';
import { logVerdict, recordVerdict } from './scan/record-verdict.ts';

const schema = lazily(() => z.strictObject({ scan: scanId(), requestedAt: timestamp() }));

type CheckContract = z.infer<ReturnType<typeof schema>>;

/** The check of a due time. */
export function contractCheckDue(due: Date): FollowUp {
  const requestedAt = due.toISOString();
  const scan = `lockhound.contract.${requestedAt.replaceAll(/[^\dTZ]/g, '')}`;
  return followUp(checkContract, { scan, requestedAt });
}

/** Findings about the APIs that Lockhound uses belong to this target. */
export const CONTRACT_TARGET = { id: 'lockhound:contract', labels: {} } as const;

/**
 * Compares the pinned description documents with the published ones. A breaking difference opens a finding; a document that
 * cannot be fetched changes nothing and is a gap.
 */
export const checkContract: Job<CheckContract, Verdict, 'contracts' | 'targets' | 'routing' | 'policy'> = {
  name: 'check-contract',
  version: 1,
  schema,
  key: ({ scan }) => scan,
  target: () => CONTRACT_TARGET.id,
  limits: { attempts: 6, backoffMs: 5_000, maxBackoffMs: 300_000, timeoutMs: 120_000, concurrency: 1 },
  resultKind: VERDICT,
  async run({ scan, requestedAt }, { contracts, targets, routing, policy }, context) {
    const { found, absent, failed } = await fetchAll(
      contracts.apis(),
      (api) => contracts.compare(api, context.signal),
      (api) => `the published document of ${api}`,
      context,
    );
    const checked = new Set(found.map(({ key }) => key));
    return await recordVerdict(
      {
        scan,
        target: CONTRACT_TARGET,
        requestedAt,
        judgedAt: context.startedAt,
        findings: found.flatMap(({ fact }) => contractDrift(CONTRACT_TARGET.id, fact)),
        partial: false,
        paths: [],
        // Findings about documents that were not compared stay open.
        stillOpen: (finding) => (checked.has(finding.package.name) ? undefined : finding),
        gaps: [
          ...absent.map((subject) => ({ subject, reason: 'the directory does not list it' })),
          ...failed.map(({ key: subject, reason }) => ({ subject, reason })),
        ].map((gap) => ({ kind: 'document' as const, ...gap })),
        // They are few, and each is worth an alert.
        firstScan: 'all',
        previous: await targets.read(CONTRACT_TARGET.id),
      },
      { routing, policy },
    );
  },
  log: ({ scan }, verdict) => logVerdict(scan, verdict),
  spent: 'own',
};
