import { systemOf } from '../../model/scan/ecosystem.ts';
import type { LockedPackage } from '../../model/scan/lockfile.ts';
import type { Resolution } from '../../model/scan/resolution.ts';
import { privateNames } from '../request/private-names.ts';
import { type LookUp, lookUpOf } from './look-up.ts';
import { createRegistryCheck, parseRegistryUrl } from './public-registries.ts';

/** What may not leave the house, and what is a copy of something public. */
export interface Privacy {
  /** Names, with `*` for any text: `@corp/*`. Such packages are `private` and never sent. */
  readonly privatePatterns: readonly string[];
  /** Hosts or URLs of mirrors of public registries: what comes from there is looked up. */
  readonly mirrors: readonly string[];
}

export type Eligibility =
  | { readonly lookUp: LookUp; readonly resolution?: never }
  | { readonly resolution: Resolution; readonly lookUp?: never };

/** A function that tells whether a package may be looked up, or how it is resolved without that. */
export function createEligibility(privacy: Privacy): (locked: LockedPackage) => Eligibility {
  const isPrivateName = privateNames(privacy.privatePatterns);
  const isPublic = createRegistryCheck(privacy.mirrors);
  return (locked) => {
    const resolution =
      (isPrivateName(locked.name) ? privateName(locked.name) : undefined) ??
      unsupported(locked) ??
      registryProblem(locked, isPublic);
    if (resolution !== undefined) return { resolution };
    const system = systemOf(locked.ecosystem);
    const lookUp = system === undefined ? undefined : lookUpOf(locked, system);
    if (lookUp !== undefined) return { lookUp };
    return {
      resolution: { outcome: 'failed', reason: `its purl is malformed: ${locked.purl.slice(0, 200)}` },
    };
  };
}

function privateName(name: string): Resolution {
  return { outcome: 'private', reason: `${name} matches a private pattern of the configuration` };
}

function unsupported({ ecosystem, source, version }: LockedPackage): Resolution | undefined {
  const because = (reason: string): Resolution => ({ outcome: 'unsupported', reason });
  if (systemOf(ecosystem) === undefined) return because(`the index holds no ${ecosystem} packages`);
  if (source.kind === 'git') return because('it comes from a git repository, not from a registry');
  if (source.kind === 'path') return because('it comes from a path, not from a registry');
  if (source.kind === 'url') return because('it comes from a URL, not from a registry');
  return version === '' ? because('the lockfile states no version') : undefined;
}

function registryProblem(
  { source }: LockedPackage,
  isPublic: (url: string) => boolean | undefined,
): Resolution | undefined {
  if (source.kind !== 'registry' || source.url === undefined) return undefined;
  const verdict = isPublic(source.url);
  return verdict === true ? undefined : privateRegistry(source.url, verdict === undefined);
}

function privateRegistry(url: string, unreadable: boolean): Resolution {
  if (unreadable)
    return { outcome: 'private', reason: 'its registry is no URL that can be told to be public' };
  const host = parseRegistryUrl(url)?.host ?? '';
  return {
    outcome: 'private',
    reason: `it comes from ${host}, which is no public registry; configure it as a mirror if it is a copy of one`,
  };
}
