import { systemOf } from '../../model/scan/ecosystem.ts';
import type { LockedPackage } from '../../model/scan/lockfile.ts';
import type { Resolution } from '../../model/scan/resolution.ts';
import { canonicalName, canonicalVersion, writePurl } from '../../model/scan/spelling.ts';
import { formatVersionKey, type System, type VersionKey } from '../../model/scan/version-key.ts';
import { privateNames } from '../request/private-names.ts';
import { createRegistryCheck, parseRegistryUrl } from './public-registries.ts';

/** Which packages are private, and which registries are copies of public ones. */
export interface Privacy {
  /** Names, with `*` for any text: `@corp/*`. Such packages are `private` and never sent. */
  readonly privatePatterns: readonly string[];
  /** Hosts or URLs of mirrors of public registries; packages from there are looked up. */
  readonly mirrors: readonly string[];
}

/** The request for a package. */
export interface LookUp {
  /** Identifies the version. A purl does not: for Go it is in lower case, and the module's name may not be. */
  readonly key: string;
  /** As the index writes it, without qualifiers and subpath. */
  readonly purl: string;
  readonly versionKey: VersionKey;
}

export type Eligibility =
  | { readonly lookUp: LookUp; readonly resolution?: never }
  | { readonly resolution: Resolution; readonly lookUp?: never };

/** Returns a function that returns the look-up of a package, or its resolution when it may not be looked up. */
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
  if (unreadable) return { outcome: 'private', reason: 'its registry is not a URL' };
  const host = parseRegistryUrl(url)?.host ?? '';
  return {
    outcome: 'private',
    reason: `it comes from ${host}, which is not a public registry; add it to insights.mirrors if it is a mirror of one`,
  };
}

/** What a canonical purl with a version looks like; the service refuses a whole batch for one that does not. */
const CANONICAL_PURL = /^pkg:[a-z]+\/(?:[\w.~%:+!-]+\/)*[\w.~%:+!-]+@[\w.~%:+!-]+$/;

/** The look-up of a package in a supported ecosystem; `undefined` when its purl is malformed. */
function lookUpOf(locked: LockedPackage, system: System): LookUp | undefined {
  const version = canonicalVersion(locked.version, locked.name, system);
  const name = canonicalName(locked.name, system);
  const renamed = name !== locked.name || version !== locked.version;
  const purl = renamed ? writePurl(locked.ecosystem, name, version) : locked.purl.replace(/[?#].*$/s, '');
  if (!purl.startsWith(`pkg:${locked.ecosystem}/`) || !CANONICAL_PURL.test(purl)) return undefined;
  const versionKey = { system, name, version };
  return { key: formatVersionKey(versionKey), purl, versionKey };
}
