import { defined } from '../../model/defined.ts';
import type { BaseImage, ImageState } from '../../model/image/image.ts';
import { IMAGE_ECOSYSTEM } from '../../model/lockfile/ecosystem.ts';
import type { Finding } from '../../model/scan/finding.ts';
import type { Policy } from '../../model/scan/policy.ts';
import type { Rule } from '../rule.ts';
import { fingerprintOf } from '../same-finding.ts';

/** The place of the findings of this rule. */
export const IMAGE_LOCATION = 'container image';

/**
 * The rule fires when the public image that the image of a target is built on is another one than before, or none. Its findings come from
 * `find-base-image`, because no lockfile says anything about it, and no scan of lockfiles resolves them.
 */
export const baseImage: Rule = {
  name: 'base-image',
  title: 'A container image is built on another public image than before',
  description: 'The container image is built on another public image than before, or on none any more.',
  help: {
    means:
      'the container image of a target is built on another public image than at the scan before, or ' +
      'on none: no public image has its lowest layers. It is found for scans that name an image ' +
      '(`lockhound enqueue --image`), by the chain identifiers of the layers. The finding has the ' +
      'base before and now (`base`: chain identifiers, numbers of layers, repositories) and the ' +
      'number of layers above. It stays open while the image is on that base, and ends when it is ' +
      'built on the base before again.',
    sure:
      'sure about the layers. Most changes are honest, because public images are built anew every few ' +
      'weeks; the title says whether the repository is still the same. An image that is new or rarely ' +
      'used is indexed late, so a base can be missing at first. A base that cannot be looked up is a ' +
      'gap (`image`) and changes nothing; so is an index that does not have the former base any more, ' +
      'because its answer may then be a loss of data. Scans of the lockfiles do not change the ' +
      'finding either.',
    todo:
      'compare the `FROM` line and its digest with those of the build before. Name the base by its ' +
      'digest, so that it changes only on purpose. Where every change has to be approved, set ' +
      '`policy.rules.base-image.level: alert`, and [suppress](../suppressions.md) the finding with ' +
      'the reason.',
  },
  readsRecords: false,
  level: 'note',
  severity: 'low',
  applies: () => false,
  judge: () => [],
};

/** The base of an image by a scan, with the base that it had before. A base that could not be looked up is not judged. */
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
