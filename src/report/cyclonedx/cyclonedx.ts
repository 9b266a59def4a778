import { createHash } from 'node:crypto';
import { ComponentType, HashAlgorithm } from '@cyclonedx/cyclonedx-library/Enums';
import { Bom, type BomRef, Component, Property } from '@cyclonedx/cyclonedx-library/Models';
import { JSON as Json } from '@cyclonedx/cyclonedx-library/Serialize';
import { Spec1dot6, Spec1dot7 } from '@cyclonedx/cyclonedx-library/Spec';
import { packageVersion } from '../../files/package-file.ts';
import type { Finding } from '../../model/scan/finding.ts';
import { isReadWhole } from '../../model/scan/read-whole.ts';
import { listParts, openedObject } from '../json-parts.ts';
import { createPackageComponents, type PackageComponent } from './components.ts';
import type { BomLockfile, BomSource, SpecVersion } from './source.ts';
import { vulnerabilitiesOf } from './vulnerabilities.ts';

const SPECS = { '1.6': Spec1dot6, '1.7': Spec1dot7 };

/** A list of components of which is known whether it is complete. */
interface Composition {
  readonly aggregate: 'complete' | 'incomplete';
  readonly assemblies: readonly string[];
}

/**
 * Lockfiles as a CycloneDX BOM in JSON: an application for each lockfile, which depends on its direct dependencies, and a
 * component for each package. With findings it has vulnerabilities with the state of their analysis. Packages whose
 * dependencies are unknown are not in the dependency graph, and compositions say which lockfiles were read completely. The same
 * source gives the same bytes. Returned in parts.
 */
export function* renderCyclonedx(source: BomSource, version: SpecVersion): Generator<string> {
  const { bom, packages, compositions } = createBom(source);
  const byRef = new Map(packages.map((one) => [one.component.bomRef.value ?? '', one]));
  const factory = new Json.Normalize.Factory(SPECS[version]);
  const { components, dependencies, vulnerabilities, ...head } = factory.makeForBom().normalize(bom, {});
  yield `${openedObject(head)},"components":`;
  yield* listParts(components ?? [], (component) => {
    const { hashes = [], occurrences = [] } = byRef.get(component['bom-ref'] ?? '') ?? {};
    return {
      ...component,
      ...(hashes.length === 0 ? {} : { hashes }),
      ...(occurrences.length === 0 ? {} : { evidence: { occurrences } }),
    };
  });
  yield ',"dependencies":';
  const known = (dependencies ?? []).filter(({ ref }) => byRef.get(ref)?.hasEdges !== false);
  yield* listParts(known, (one) => one);
  yield `,"compositions":${JSON.stringify(compositions)},"vulnerabilities":`;
  yield* listParts(vulnerabilities ?? [], (one) => one);
  yield '}\n';
}

interface CreatedBom {
  readonly bom: Bom;
  readonly packages: readonly PackageComponent[];
  readonly compositions: readonly Composition[];
}

function createBom(source: BomSource): CreatedBom {
  const bom = new Bom({ serialNumber: serialNumberOf(source) });
  const root = new Component(ComponentType.Application, source.name, { bomRef: 'target' });
  bom.metadata.component = root;
  if (source.at !== undefined) bom.metadata.timestamp = new Date(source.at);
  const tool = new Component(ComponentType.Application, 'Lockhound', { version: packageVersion() });
  bom.metadata.tools.components.add(tool);
  const packages = createPackageComponents();
  const compositions: Composition[] = [];
  for (const lockfile of source.lockfiles) {
    const own = addLockfile(bom, root, lockfile, packages);
    compositions.push({
      aggregate: isReadWhole(lockfile) ? 'complete' : 'incomplete',
      assemblies: [own.bomRef.value ?? ''],
    });
  }
  for (const { path, error } of source.unread) {
    const own = lockfileComponent(path, [['lockhound:lockfile:unread', `${error.code}: ${error.message}`]]);
    bom.components.add(own);
    root.dependencies.add(own.bomRef);
    compositions.push({ aggregate: 'incomplete', assemblies: [own.bomRef.value ?? ''] });
  }
  for (const { component } of packages.all()) bom.components.add(component);
  addFindings(bom, source.findings, packages.all());
  return { bom, packages: packages.all(), compositions };
}

/** Its edges are its direct dependencies; where the lockfile does not state them, it has none. */
function addLockfile(
  bom: Bom,
  root: Component,
  lockfile: BomLockfile,
  packages: ReturnType<typeof createPackageComponents>,
): Component {
  const { path, format, sha256, problems } = lockfile;
  const own = lockfileComponent(path, [
    ['lockhound:lockfile:format', format],
    ...problems.map(({ line, message }): readonly [string, string] => [
      'lockhound:lockfile:problem',
      line === undefined ? message : `line ${line}: ${message}`,
    ]),
  ]);
  if (sha256 !== undefined) own.hashes.set(HashAlgorithm['SHA-256'], sha256);
  bom.components.add(own);
  root.dependencies.add(own.bomRef);
  const byId = packages.add(lockfile);
  for (const { id, direct } of lockfile.packages) {
    const component = direct === true ? byId.get(id)?.component : undefined;
    if (component !== undefined) own.dependencies.add(component.bomRef);
  }
  return own;
}

function lockfileComponent(
  path: string,
  properties: readonly (readonly [name: string, value: string])[],
): Component {
  const own = new Component(ComponentType.Application, path, { bomRef: `lockfile/${path}` });
  for (const [name, value] of properties) own.properties.add(new Property(name, value));
  return own;
}

function addFindings(bom: Bom, findings: readonly Finding[], packages: readonly PackageComponent[]): void {
  const byPurl = Map.groupBy(packages, ({ component }) => component.purl);
  const refsOf = (finding: Finding): readonly BomRef[] =>
    (byPurl.get(finding.package.purl) ?? []).map(({ component }) => component.bomRef);
  for (const one of vulnerabilitiesOf(findings, refsOf)) bom.vulnerabilities.add(one);
  for (const finding of findings) {
    if (finding.advisory !== undefined) continue;
    for (const { component } of byPurl.get(finding.package.purl) ?? []) {
      component.properties.add(new Property('lockhound:finding', `${finding.rule}: ${finding.title}`));
    }
  }
}

/** Depends on the contents alone (RFC 9562, version 8), so that a BOM can be made again and compared. */
function serialNumberOf(source: BomSource): string {
  const hash = createHash('sha256').update(JSON.stringify([source.name, source.at, source.unread]));
  for (const { path, format, packages } of source.lockfiles) {
    hash.update(JSON.stringify([path, format]));
    for (const { id, purl, groups } of packages) hash.update(JSON.stringify([id, purl, groups]));
  }
  for (const { fingerprint, severity } of source.findings)
    hash.update(JSON.stringify([fingerprint, severity]));
  const hex = hash.digest('hex');
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16);
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
