import type { Keys } from '../src/store/keys.ts';
import type { LostPeriods } from './oracle.ts';
import type { RefusedPayload, Scans } from './scans.ts';
import type { Witness } from './witness.ts';

interface Rejected {
  readonly job: string;
  readonly id: string;
  readonly at: string;
  readonly issues: readonly { readonly path: string; readonly reason: string }[];
  readonly data: string;
}

/** A payload is refused within this time. */
const REFUSED_WITHIN_MS = 2_000;

/** Each payload that workers refuse is kept with the reason, and its job is failed. */
export function wrongRefusals(
  witness: Witness,
  keys: Keys,
  { refused }: Pick<Scans, 'refused'>,
  { lost, calmSince }: { readonly lost: LostPeriods; readonly calmSince: number },
): readonly string[] {
  const found: string[] = [];
  const mayBeLost = ({ at, confirmedAt = Number.POSITIVE_INFINITY }: RefusedPayload) =>
    lost.has(at, confirmedAt);
  const stored = witness.ask('HGETALL', keys.rejected) as readonly string[];
  const entries = stored.filter((_, at) => at % 2 === 1).map((text) => JSON.parse(text) as Rejected);
  const ordered = witness.ask('ZCARD', keys.rejectedOrder);
  if (ordered !== entries.length) found.push(`${ordered} rejected payloads are in order`);
  for (const { job, id, at, issues, data } of entries) {
    const asked = refused.get(id);
    const queue = `${keys.prefix}:ingest-lockfiles`;
    // A worker keeps the reason also when Redis has lost the job meanwhile.
    const isGone = asked !== undefined && mayBeLost(asked);
    const isFailed = isGone || witness.ask('ZSCORE', `${queue}:failed`, id) !== null;
    const isRight = job === 'ingest-lockfiles' && isFailed && data === JSON.stringify(asked?.data);
    const isWhere = issues.some(({ path, reason }) => path.startsWith(asked?.path ?? '-') && reason !== '');
    const late = Date.parse(at) - (asked?.at ?? 0);
    const isInTime = (asked?.at ?? 0) < calmSince || (late >= -1 && late < REFUSED_WITHIN_MS);
    if (!isRight || !isWhere || !isInTime)
      found.push(`rejected payload ${id}: ${job} ${at} ${JSON.stringify(issues)}`);
  }
  const kept = new Set(entries.map(({ id }) => id));
  for (const [id, asked] of refused)
    if (!kept.has(id) && !mayBeLost(asked)) found.push(`payload ${id} was not refused`);
  return found;
}
