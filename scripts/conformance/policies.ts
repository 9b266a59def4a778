import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PackageURL } from 'packageurl-js';
import type { LockedPackage, Lockfile } from '../../src/model/lockfile/lockfile.ts';
import type { Case, Expected, ExpectedPackage } from './cases.ts';

/** The same version as a tool writes it: osv-scalibr omits Go's `v`. */
export function samePackage(locked: LockedPackage, wanted: ExpectedPackage, tool: Expected['tool']): boolean {
  if (wanted.purl !== undefined && sameUnqualified(locked.purl, wanted.purl)) return true;
  if (locked.name !== wanted.name) return false;
  if (locked.version === wanted.version) return true;
  return tool === 'osv-scalibr' && locked.ecosystem === 'golang' && locked.version === `v${wanted.version}`;
}

function sameUnqualified(left: string, right: string): boolean {
  const canonical = (purl: string) => {
    const { type, namespace, name, version } = PackageURL.fromString(purl);
    return new PackageURL(type, namespace, name, version, undefined, undefined).toString();
  };
  return canonical(left) === canonical(right);
}

/** The policy that explains why Lockhound does not list a tool's package; `undefined` when it should. */
export function missingPolicy(one: Case, wanted: ExpectedPackage, read: Lockfile): string | undefined {
  const { tool } = one.expected;
  if (wanted.relationship === 'root' || wanted.relationship === 'workspace' || isOwn(one, wanted)) {
    return `${tool} lists the target's own packages`;
  }
  if (wanted.type === 'project') return `${tool} lists the target's own packages`;
  if (/^(?:cyclonedx|spdx)-/.test(one.group) && wanted.ecosystem === null) {
    return `${tool} lists elements of an SBOM without an ecosystem`;
  }
  if (/^:|:$/.test(wanted.name)) return `${tool} lists entries that lack a part of their name`;
  if (tool === 'osv-scalibr' && wanted.name === 'stdlib') return 'osv-scalibr lists the Go toolchain';
  const named = read.packages.filter(({ name }) => name === wanted.name);
  if (
    tool === 'osv-scalibr' &&
    wanted.comparator !== undefined &&
    named.some(({ version }) => version === '')
  ) {
    return BOUND;
  }
  if (tool === 'trivy' && one.group === 'requirements-txt' && named.some(({ version }) => version === '')) {
    return 'trivy treats a bound as the version';
  }
  if (
    tool === 'osv-scalibr' &&
    read.packages.some(({ source }) => source.kind === 'path' && source.path === wanted.name)
  ) {
    return 'osv-scalibr names a Go module after its folder';
  }
  return tool === 'osv-scalibr' && one.group === 'maven-pom-xml' ? pomPolicy(one, wanted, named) : undefined;
}

const BOUND = 'osv-scalibr treats a bound as the version';
const FIRST = 'osv-scalibr uses the first of two entries, Maven the last';

function pomPolicy(
  { content }: Case,
  wanted: ExpectedPackage,
  named: readonly Pick<LockedPackage, 'version'>[],
): string | undefined {
  const text = content.toString('utf8');
  if (named.some(({ version }) => version === '') && text.includes(`[${wanted.version},`)) return BOUND;
  const [artifact = ''] = wanted.name.split(':').slice(-1);
  const isRepeated = text.split(`<artifactId>${artifact}</artifactId>`).length > 2;
  return named.length > 0 && isRepeated ? FIRST : undefined;
}

/** The target's own packages, as each format marks them. */
function isOwn({ group, content }: Case, { name, version }: ExpectedPackage): boolean {
  const text = content.toString('utf8');
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  switch (group) {
    case 'cargo-lock':
      return new RegExp(`name = "${escaped}"\\nversion = "${version}"\\n(?!source)`).test(text);
    case 'uv-lock':
      return new RegExp(
        `name = "${escaped}"\\nversion = "${version}"\\nsource = \\{ (?:virtual|editable) =`,
      ).test(text);
    case 'yarn-berry':
      return text.includes(`"${name}@workspace:`);
    case 'gemfile-lock':
      return text.includes(`PATH\n  remote: .\n`) && text.includes(`    ${name} (${version})`);
    default:
      return group.startsWith('npm-package-lock') && ownNpmNames(text).has(`${name}@${version}`);
  }
}

function ownNpmNames(text: string): ReadonlySet<string> {
  const root = JSON.parse(text) as {
    name?: string;
    version?: string;
    packages?: Record<string, { name?: string; version?: string }>;
  };
  const members = Object.entries(root.packages ?? {}).filter(([path]) => !path.includes('node_modules/'));
  return new Set([
    `${root.name}@${root.version}`,
    ...members.map(([path, { name, version }]) => `${name ?? path.split('/').at(-1)}@${version}`),
  ]);
}

/** The policy that explains why a tool does not list Lockhound's package; `undefined` when Lockhound should not list it. */
export function extraPolicy(one: Case, locked: LockedPackage): string | undefined {
  const { group, folder, expected } = one;
  const { tool } = expected;
  const leftOut = leftOutPolicy(one, locked);
  if (leftOut !== undefined) return leftOut;
  if (locked.groups.includes('environment')) return `${tool} omits the packages of pnpm itself`;
  if (tool === 'osv-scalibr') return extraToScalibr(one, locked);
  if (
    tool === 'trivy' &&
    /^(?:pnpm-lock-v[56]|nuget-packages-config)/.test(group) &&
    locked.groups.includes('dev')
  ) {
    return 'trivy leaves out development packages';
  }
  if (tool === 'trivy' && group.startsWith('yarn-') && isUnknownToTrivy(one, locked)) {
    return 'trivy leaves out protocols that it does not know';
  }
  if (tool === 'trivy' && group === 'go-mod' && existsSync(join(folder, 'go.sum'))) {
    return 'trivy reads go.sum by itself';
  }
  if (tool === 'syft' && (locked.groups.includes('dev') || locked.name === 'dev-nested')) {
    return 'syft leaves out development packages';
  }
  return undefined;
}

function extraToScalibr(one: Case, { name, source, version }: LockedPackage): string | undefined {
  const packages = one.expected.packages ?? [];
  if (source.kind === 'path' && packages.some((other) => other.name === source.path)) {
    return 'osv-scalibr names a Go module after its folder';
  }
  const other = packages.find((wanted) => wanted.name === name);
  if (other?.comparator !== undefined) return BOUND;
  if (packages.length === 0 && existsSync(join(one.folder, 'npm-shrinkwrap.json'))) {
    return 'osv-scalibr reads no package-lock next to a shrinkwrap';
  }
  return other !== undefined && one.group === 'maven-pom-xml'
    ? pomPolicy(one, other, [{ version }])
    : undefined;
}

/** Packages that a tool omits because of a missing version or their source. */
function leftOutPolicy({ group, expected: { tool } }: Case, { version, source }: LockedPackage) {
  if (tool !== 'osv-scalibr' && version === '') return `${tool} omits packages without a version`;
  if (source.kind === 'registry') return undefined;
  if (tool === 'trivy') return 'trivy omits packages that are not from a registry';
  return tool === 'osv-scalibr' && group === 'requirements-txt'
    ? 'osv-scalibr omits requirements that are paths'
    : undefined;
}

function isUnknownToTrivy({ content }: Case, { name }: LockedPackage): boolean {
  const text = content.toString('utf8');
  return text.includes(`${name}@patch:`) || text.includes(`${name}@unsupported:`);
}
