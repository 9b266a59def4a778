import { defined } from '../../model/defined.ts';
import type { BaseImage, ImageState } from '../../model/image/image.ts';
import { IMAGE_ECOSYSTEM } from '../../model/lockfile/ecosystem.ts';
import type { Finding } from '../../model/scan/finding.ts';
import type { Policy } from '../../model/scan/policy.ts';
import { fingerprintOf } from '../fingerprint.ts';
import type { Rule } from '../rule.ts';

/** The place of the findings of this rule. */
export const IMAGE_LOCATION = 'container image';

/**
 * The public image that the image of a target is built on is another one than before, or there is none. Its findings come from
 * `find-base-image`, because no lockfile says anything about it, and no scan of lockfiles resolves them.
 */
export const baseImage: Rule = {
  name: 'base-image',
  description: 'The container image is built on another public image than before, or on none any more.',
  readsRecords: false,
  level: 'note',
  severity: 'low',
  applies: () => false,
  judge: () => [],
};

/** What a scan finds out about an image, with the base that it had before. A base that could not be looked up is not judged. */
export function imageAfter(previous: ImageState | undefined, now: Omit<ImageState, 'before'>): ImageState {
  const last = previous?.base ?? previous?.before;
  const before = previous?.base?.chainId === now.base?.chainId ? previous?.before : last;
  return before === undefined || before.chainId === now.base?.chainId ? now : { ...now, before };
}

/** The finding about the base of an image; `undefined` when it is the same as before, and when the rule is off. */
export function baseImageFinding(
  target: string,
  { base: now, before, layers }: ImageState,
  policy: Policy,
): Finding | undefined {
  const settings = policy.rules[baseImage.name];
  const level = settings?.level ?? baseImage.level;
  if (before === undefined || level === 'off') return undefined;
  const { chainId: version } = now ?? before;
  const name = nameOf(now ?? before);
  const purl = `pkg:generic/${encodeURIComponent(name)}@${encodeURIComponent(version)}`;
  return {
    fingerprint: fingerprintOf(target, baseImage.name, purl, before.chainId),
    rule: baseImage.name,
    level,
    severity: settings?.severity ?? baseImage.severity ?? 'low',
    title: titleOf(before, now),
    package: { ecosystem: IMAGE_ECOSYSTEM, name, version, purl, direct: true, groups: [] },
    issue: before.chainId,
    base: { before, ...defined({ now }), layersAbove: layers - (now?.layers ?? 0) },
    locations: [{ path: IMAGE_LOCATION, dependencyPath: [] }],
    advice: ADVICE,
  };
}

const ADVICE =
  'Compare the `FROM` line and its digest with those of the build before, and find out whether somebody changed the base on purpose.';

function titleOf(before: BaseImage, now: BaseImage | undefined): string {
  if (now === undefined)
    return `Built on no public image that the index has, and before on ${nameOf(before)}`;
  const repositories = new Set(before.repositories);
  return now.repositories.some((one) => repositories.has(one))
    ? `Built on another version of ${nameOf(now)} than before`
    : `Built on ${nameOf(now)}, and before on ${nameOf(before)}`;
}

/** The official repository, or else the one with the shortest name: copies have longer names. */
function nameOf({ repositories, chainId }: BaseImage): string {
  const official = repositories.find((one) => one.startsWith('library/'));
  const [first = chainId, ...others] = repositories;
  return official ?? others.reduce((shortest, one) => (one.length < shortest.length ? one : shortest), first);
}
