import { ComponentType, HashAlgorithm } from '@cyclonedx/cyclonedx-library/Enums';
import { Bom, type BomRef, Component, Property } from '@cyclonedx/cyclonedx-library/Models';
import { JSON as Json } from '@cyclonedx/cyclonedx-library/Serialize';
import { Spec1dot6, Spec1dot7 } from '@cyclonedx/cyclonedx-library/Spec';
import { packageVersion } from '../../files/package-file.ts';
import { contentUuid } from '../../model/content-uuid.ts';
import { isReadWhole } from '../../model/lockfile/read-whole.ts';
import { listParts, openedObject } from '../json.ts';
import { baseText } from '../review/comparison-text.ts';
import { createPackageComponents, type PackageComponent } from './components.ts';
import type { BomLockfile, BomSource, SpecVersion } from './source.ts';
import { type ComparedFinding, vulnerabilitiesOf } from './vulnerabilities.ts';

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

function createBom(source: BomSource) {
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
  addFindings(bom, source, packages.all());
  for (const cut of source.cuts ?? [])
    bom.metadata.properties.add(new Property('lockhound:findings:cut', cut));
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

/** Vulnerabilities, and properties of components for findings without an advisory. */
function addFindings(
  bom: Bom,
  { findings, comparison }: BomSource,
  packages: readonly PackageComponent[],
): void {
  const byPurl = Map.groupBy(packages, ({ component }) => component.purl);
  const compared = findings.map((finding): ComparedFinding => ({ finding }));
  if (comparison !== undefined) {
    bom.metadata.properties.add(new Property('lockhound:compared-with', baseText(comparison.base)));
    const introduced = new Set(comparison.introduced);
    for (const one of compared) one.change = introduced.has(one.finding.fingerprint) ? 'new' : 'unchanged';
    compared.push(...comparison.gone.map((finding) => ({ finding, change: 'gone' as const })));
  }
  const refsOf = ({ finding, change }: ComparedFinding): readonly BomRef[] =>
    change === 'gone'
      ? []
      : (byPurl.get(finding.package.purl) ?? []).map(({ component }) => component.bomRef);
  for (const one of vulnerabilitiesOf(compared, refsOf)) bom.vulnerabilities.add(one);
  for (const { finding, change } of compared) {
    if (finding.advisory !== undefined) continue;
    const text = `${finding.rule}: ${finding.title}`;
    if (change === 'gone') {
      bom.metadata.properties.add(new Property('lockhound:finding:gone', `${finding.package.purl} ${text}`));
      continue;
    }
    for (const { component } of byPurl.get(finding.package.purl) ?? []) {
      component.properties.add(new Property('lockhound:finding', text));
      if (change === 'new') component.properties.add(new Property('lockhound:finding:new', text));
    }
  }
}

/** Depends on the contents alone, and not on the time, so that a BOM can be made again and compared. */
function serialNumberOf(source: BomSource): string {
  return `urn:uuid:${contentUuid(contentsOf(source))}`;
}

function* contentsOf(source: BomSource): Generator<unknown> {
  const { name, unread, lockfiles, findings, cuts = [], comparison } = source;
  yield [name, unread];
  for (const { path, format, packages } of lockfiles) {
    yield [path, format];
    for (const { id, purl, groups } of packages) yield [id, purl, groups];
  }
  for (const { fingerprint, severity } of findings) yield [fingerprint, severity];
  if (cuts.length > 0) yield cuts;
  if (comparison === undefined) return;
  const { introduced, gone } = comparison;
  yield [baseText(comparison.base), introduced, gone.map(({ fingerprint }) => fingerprint)];
}
