import { ComponentScope, ComponentType, ExternalReferenceType } from '@cyclonedx/cyclonedx-library/Enums';
import {
  Component,
  ExternalReference,
  LicenseExpression,
  type LicenseRepository,
  NamedLicense,
  Property,
  SpdxLicense,
} from '@cyclonedx/cyclonedx-library/Models';
import { fixupSpdxId, isSupportedSpdxId } from '@cyclonedx/cyclonedx-library/SPDX';
import { defined } from '../../model/defined.ts';
import { BOM_PROPERTIES, integrityText } from '../../model/lockfile/bom-properties.ts';
import type { Integrity } from '../../model/lockfile/lockfile.ts';
import { webAddress } from '../finding-parts.ts';
import type { BomLockfile, BomPackage } from './source.ts';

/** Longest version that the schema permits. */
const MAX_VERSION = 1_024;

/** A package of one or more lockfiles as a component, with what the library's model has no place for. */
export interface PackageComponent {
  readonly component: Component;
  readonly hashes: BomHash[];
  readonly occurrences: { readonly location: string; readonly line?: number }[];
  /** Whether all lockfiles state its dependencies. */
  hasEdges: boolean;
}

/** Collects the components of lockfiles: one for each package, which may be in several lockfiles. */
export function createPackageComponents() {
  const byKey = new Map<string, PackageComponent>();
  const refs = new Set<string>();
  const create = (one: BomPackage): PackageComponent => {
    const bomRef = refs.has(one.purl) ? `${one.purl} (${one.id})` : one.purl;
    refs.add(bomRef);
    return { component: componentOf(one, bomRef), hashes: [], occurrences: [], hasEdges: true };
  };
  const addPackage = (one: BomPackage, path: string): PackageComponent => {
    const key = JSON.stringify([one.purl, one.id]);
    const known = byKey.get(key) ?? create(one);
    byKey.set(key, known);
    for (const hash of (one.integrity ?? []).flatMap((digest) => bomHash(digest) ?? [])) {
      if (known.hashes.every(({ alg, content }) => alg !== hash.alg || content !== hash.content))
        known.hashes.push(hash);
    }
    known.occurrences.push({ location: path, ...defined({ line: one.line }) });
    return known;
  };
  return {
    /** Adds the packages of a lockfile with their edges, and returns their components by package id. */
    add({ path, packages }: BomLockfile): ReadonlyMap<string, PackageComponent> {
      const byId = new Map(packages.map((one) => [one.id, addPackage(one, path)]));
      for (const { id, dependencies } of packages) {
        const from = byId.get(id);
        if (from === undefined) continue;
        from.hasEdges &&= dependencies !== undefined;
        for (const to of dependencies ?? []) {
          const target = byId.get(to);
          if (target !== undefined) from.component.dependencies.add(target.component.bomRef);
        }
      }
      return byId;
    },
    all: (): readonly PackageComponent[] => [...byKey.values()],
  };
}

function componentOf(one: BomPackage, bomRef: string): Component {
  const { purl, version, groups, resolution } = one;
  const group = groupOf(one);
  const component = new Component(ComponentType.Library, nameOf(one), {
    bomRef,
    purl,
    ...defined({ group }),
    ...(isVersion(version) ? { version } : {}),
    ...(groups.includes('optional') ? { scope: ComponentScope.Optional } : {}),
  });
  for (const [name, value] of propertiesOf(one)) component.properties.add(new Property(name, value));
  addOrigin(component, one);
  addLicenses(component.licenses, resolution?.record?.licenses ?? []);
  return component;
}

function propertiesOf({ ecosystem, groups, integrity = [], installScript, resolution }: BomPackage) {
  const properties: [name: string, value: string][] = [];
  for (const group of groups) {
    properties.push([BOM_PROPERTIES.group, group]);
    if (group === 'dev' && ecosystem === 'npm') properties.push(['cdx:npm:package:development', 'true']);
  }
  if (installScript === true) properties.push([BOM_PROPERTIES.installScript, 'true']);
  for (const digest of integrity) {
    if (bomHash(digest) === undefined) properties.push([BOM_PROPERTIES.integrity, integrityText(digest)]);
  }
  const { outcome, reason } = resolution ?? {};
  if (outcome !== undefined && outcome !== 'resolved') {
    properties.push(['lockhound:outcome', reason === undefined ? outcome : `${outcome}: ${reason}`]);
  }
  return properties;
}

/** Adds the origin of the bytes, when it is not the default registry. */
function addOrigin(component: Component, { source }: BomPackage): void {
  if (source === undefined || (source.kind === 'registry' && source.url === undefined)) return;
  component.properties.add(new Property(BOM_PROPERTIES.source, JSON.stringify(source)));
  // One of several registries is no address.
  const url = source.kind === 'path' || source.url?.includes(' ') ? undefined : webAddress(source.url);
  if (url === undefined) return;
  const type = source.kind === 'git' ? ExternalReferenceType.VCS : ExternalReferenceType.Distribution;
  component.externalReferences.add(new ExternalReference(url, type));
}

/** Whether CycloneDX permits it as a version. The purl has it in any case. */
export function isVersion(version: string): boolean {
  return version !== '' && version.length <= MAX_VERSION;
}

/** The scope of npm and the group of Maven; other names have no part that CycloneDX calls a group. */
function groupOf({ ecosystem, name }: BomPackage): string | undefined {
  if (ecosystem === 'maven' && name.includes(':')) return name.slice(0, name.indexOf(':'));
  if (ecosystem === 'npm' && /^@[^/]+\/./.test(name)) return name.slice(0, name.indexOf('/'));
  return undefined;
}

function nameOf(one: BomPackage): string {
  const group = groupOf(one);
  return group === undefined ? one.name : one.name.slice(group.length + 1);
}

/** Algorithms of CycloneDX by our names, with the bytes of their digests. */
const ALGORITHMS: ReadonlyMap<string, readonly [name: string, bytes: number]> = new Map([
  ['md5', ['MD5', 16]],
  ['sha1', ['SHA-1', 20]],
  ['sha256', ['SHA-256', 32]],
  ['sha384', ['SHA-384', 48]],
  ['sha512', ['SHA-512', 64]],
  ['sha3-256', ['SHA3-256', 32]],
  ['sha3-384', ['SHA3-384', 48]],
  ['sha3-512', ['SHA3-512', 64]],
  ['blake2b-256', ['BLAKE2b-256', 32]],
  ['blake2b-384', ['BLAKE2b-384', 48]],
  ['blake2b-512', ['BLAKE2b-512', 64]],
  ['blake3', ['BLAKE3', 32]],
]);

/** A hash of CycloneDX: `content` in lower-case hexadecimal. */
interface BomHash {
  readonly alg: string;
  readonly content: string;
}

/** A digest as a hash; `undefined` when CycloneDX has no such algorithm, or the digest does not have its length. */
function bomHash({ algorithm, value, encoding }: Integrity): BomHash | undefined {
  const [alg, length] = ALGORITHMS.get(algorithm) ?? [];
  const bytes = Buffer.from(value, encoding);
  return alg === undefined || bytes.length !== length ? undefined : { alg, content: bytes.toString('hex') };
}

/**
 * Adds licences as CycloneDX states them: one expression, or a list of licences that are SPDX identifiers or names. Several
 * entries of a package apply together.
 */
function addLicenses(to: LicenseRepository, stated: readonly string[]): void {
  const distinct = [...new Set(stated.map((one) => one.trim()))].filter((one) => one !== '');
  const [first] = distinct;
  if (distinct.length === 1 && first !== undefined && isExpression(first)) {
    to.add(new LicenseExpression(first));
    return;
  }
  for (const one of distinct) {
    const id = fixupSpdxId(one);
    to.add(id === undefined ? new NamedLicense(one) : new SpdxLicense(id));
  }
}

/** Identifiers of SPDX joined by its operators. The index has `non-standard` where it cannot read a licence. */
function isExpression(text: string): boolean {
  const parts = text.split(/\s+|(?=[()])|(?<=[()])/).filter((part) => part !== '');
  const operators = parts.filter((part) => /^(?:AND|OR|WITH)$/.test(part));
  return operators.length > 0 && parts.every((part) => /^(?:AND|OR|WITH|[()])$/.test(part) || isId(part));
}

function isId(part: string): boolean {
  return isSupportedSpdxId(part.replace(/\+$/, '')) || /^LicenseRef-[\w.-]+$/.test(part);
}
