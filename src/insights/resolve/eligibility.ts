import {
  canonicalName,
  canonicalVersion,
  formatVersionKey,
  isApiSystem,
  type System,
  systemOf,
  type VersionKey,
  writePurl,
} from '../../model/lockfile/ecosystem.ts';
import type { LockedPackage } from '../../model/lockfile/lockfile.ts';
import { type Registry, registryOf } from '../../model/lockfile/registry.ts';
import type { Resolution } from '../../model/scan/inventory.ts';
import { PRIVATE_NAME } from '../../model/scan/outcome.ts';
import { InsightsError } from '../errors.ts';
import { privateNames } from '../request/private-names.ts';

/** Which packages are private, and which registries are copies of public ones. */
export interface Privacy {
  /** Names, with `*` for any text: `@corp/*`. Such packages are `private` and never sent. */
  readonly privatePatterns: readonly string[];
  /** Hosts or URLs of mirrors of public registries; packages from there are looked up. */
  readonly mirrors: readonly string[];
}

interface EligibilityParts extends Privacy {
  /** Whether there are imported advisories, which know systems that the service does not have. Default: false. */
  readonly hasImports?: boolean;
}

/** The request for a package. */
export interface LookUp {
  /** Identifies the version. A purl does not: for Go it is in lower case, and the module's name may not be. */
  readonly key: string;
  /** As the index writes it, without qualifiers and subpath. */
  readonly purl: string;
  readonly versionKey: VersionKey;
}

interface Eligible {
  readonly lookUp: LookUp;
  readonly resolution?: never;
}

export type Eligibility = Eligible | { readonly resolution: Resolution; readonly lookUp?: never };

/** Returns a function that returns the look-up of a package, or its resolution when it may not be looked up. */
export function createEligibility({
  privatePatterns,
  mirrors,
  hasImports,
}: EligibilityParts): (locked: LockedPackage) => Eligibility {
  const isPrivateName = privateNames(privatePatterns);
  const isPublic = createRegistryCheck(mirrors);
  return (locked) => {
    const { name, ecosystem, source, version, purl } = locked;
    if (isPrivateName(name)) return not('private', `${name} ${PRIVATE_NAME}`);
    const system = heldSystem(ecosystem, hasImports);
    if (system === undefined) return not('unsupported', `the index holds no ${ecosystem} packages`);
    if (source.kind !== 'registry')
      return not('unsupported', `it comes from ${PLACES[source.kind]}, not from a registry`);
    if (version === '') return not('unsupported', 'the lockfile states no version');
    for (const url of source.url?.split(' ') ?? []) {
      const verdict = isPublic(url);
      if (verdict === undefined) return not('private', 'its registry is not a URL');
      if (!verdict) return not('private', privateRegistry(url, source.url !== url));
    }
    return eligible(locked, system) ?? not('failed', `its purl is malformed: ${purl.slice(0, 200)}`);
  };
}

function heldSystem(ecosystem: string, hasImports: boolean | undefined): System | undefined {
  const system = systemOf(ecosystem);
  return hasImports === true || isApiSystem(system) ? system : undefined;
}

const PLACES = { git: 'a git repository', path: 'a path', url: 'a URL' } as const;

function not(outcome: 'private' | 'unsupported' | 'failed', reason: string): Eligibility {
  return { resolution: { outcome, reason } };
}

/** `isOneOf`: the package may come from another registry as well. */
function privateRegistry(url: string, isOneOf: boolean): string {
  const host = parseRegistryUrl(url)?.host ?? '';
  return `it ${isOneOf ? 'may come' : 'comes'} from ${host}, which is not a public registry; add it to insights.mirrors if it is a mirror of one`;
}

/** The form of a canonical purl with a version; the service refuses a whole batch for one that does not. */
const CANONICAL_PURL = /^pkg:[a-z]+\/(?:[\w.~%:+!-]+\/)*[\w.~%:+!-]+@[\w.~%:+!-]+$/;

/** A purl without qualifiers and subpath. */
function withoutQualifiers(purl: string): string {
  const end = purl.search(/[?#]/);
  return end < 0 ? purl : purl.slice(0, end);
}

function eligible(locked: LockedPackage, system: System): Eligible | undefined {
  const lookUp = lookUpOf(locked, system);
  return lookUp && { lookUp };
}

/** The version key of a package as the index spells it. */
export function indexKeyOf(locked: LockedPackage, system: System): VersionKey {
  const version = canonicalVersion(locked.version, locked.name, system);
  return { system, name: canonicalName(locked.name, system), version };
}

/** The look-up of a package in a supported ecosystem; `undefined` when its purl is malformed. */
function lookUpOf(locked: LockedPackage, system: System): LookUp | undefined {
  const versionKey = indexKeyOf(locked, system);
  const { name, version } = versionKey;
  const renamed = name !== locked.name || version !== locked.version;
  const purl = renamed ? writePurl(locked.ecosystem, name, version) : withoutQualifiers(locked.purl);
  if (!purl.startsWith(`pkg:${locked.ecosystem}/`) || !CANONICAL_PURL.test(purl)) return undefined;
  return { key: formatVersionKey(versionKey), purl, versionKey };
}

/** Registries whose packages the index may hold: a domain, with a path where other content shares the domain. */
const PUBLIC_REGISTRIES = [
  ...['npmjs.org', 'npmjs.com', 'yarnpkg.com', 'npmmirror.com'],
  ...['pypi.org', 'pypi.python.org', 'pythonhosted.org'],
  ...['crates.io', 'github.com/rust-lang/crates.io-index'],
  ...['proxy.golang.org', 'sum.golang.org'],
  ...['rubygems.org'],
  ...['repo.maven.apache.org', 'maven.org', 'maven.google.com', 'dl.google.com/dl/android/maven2'],
  ...['plugins.gradle.org'],
  ...['nuget.org'],
  ...['pub.dev', 'pub.dartlang.org', 'pub.flutter-io.cn'],
];

/**
 * Returns a function that checks whether a registry URL belongs to a public registry or to one of the configured
 * mirrors (`host`, `host/path` or a URL, with subdomains). It returns `undefined` for a text that is not a URL with a
 * host.
 */
function createRegistryCheck(mirrors: readonly string[]): (url: string) => boolean | undefined {
  const registries = [...PUBLIC_REGISTRIES, ...mirrors].map((text) => {
    const registry = registryOf(text);
    if (registry !== undefined) return registry;
    throw new InsightsError('invalid', `${text} is neither a host nor a URL of a registry`);
  });
  return (text) => {
    const url = parseRegistryUrl(text);
    return url && registries.some((registry) => isAt(registry, url) && covers(registry, url));
  };
}

/** Cargo writes `registry+https://…` and `sparse+https://…`. */
function parseRegistryUrl(text: string): URL | undefined {
  const url = URL.parse(text.replace(/^[a-z]+\+/, ''));
  return url === null || url.hostname === '' ? undefined : url;
}

function isAt({ host, port }: Registry, url: URL): boolean {
  if (port !== '' && port !== url.port) return false;
  return url.hostname === host || url.hostname.endsWith(`.${host}`);
}

function covers({ path }: Registry, url: URL): boolean {
  return path === '' || url.pathname === path || url.pathname.startsWith(`${path}/`);
}
