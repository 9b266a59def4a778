import type { Integrity } from '../../model/scan/lockfile.ts';
import type { ProblemList } from '../packages/problem-list.ts';
import { sbomDigest } from '../sbom/sbom-digest.ts';
import { elementLines } from '../syntax/json-element-lines.ts';
import { isJsonObject, type JsonObject } from '../syntax/parse-json.ts';
import type { SpdxDocument, SpdxPackage } from './document.ts';
import type { ExternalReference } from './external-reference.ts';
import type { Relationship } from './relationships.ts';

/** What the JSON says of packages and their relationships. */
export function readDocument(root: JsonObject, text: string, problems: ProblemList): SpdxDocument {
  const { SPDXID, packages, relationships, documentDescribes } = root as Partial<Record<string, unknown>>;
  const id = textOf(SPDXID) || 'SPDXRef-DOCUMENT';
  const described = listOf(documentDescribes).filter((one) => typeof one === 'string');
  return {
    id,
    packages: readPackages(listOf(packages), text, problems),
    relationships: [
      ...described.map((to) => ({ from: id, type: 'DESCRIBES', to })),
      ...listOf(relationships).flatMap(readRelationship),
    ],
  };
}

function readPackages(
  packages: readonly unknown[],
  text: string,
  problems: ProblemList,
): readonly SpdxPackage[] {
  const lines = elementLines(text, 'packages', packages, 'sbom')?.elements;
  const read: SpdxPackage[] = [];
  for (const one of packages) {
    if (isJsonObject(one)) read.push(readPackage(one, lines?.[read.length]?.line));
    else problems.add(undefined, 'a package is not an object');
  }
  return read;
}

function readPackage(one: JsonObject, line: number | undefined): SpdxPackage {
  const { SPDXID, name, versionInfo, primaryPackagePurpose, externalRefs, checksums } = one as Partial<
    Record<string, unknown>
  >;
  return {
    id: textOf(SPDXID),
    name: textOf(name),
    version: versionOf(textOf(versionInfo)),
    purpose: textOf(primaryPackagePurpose),
    references: listOf(externalRefs).flatMap(readReference),
    integrity: listOf(checksums).flatMap(readChecksum),
    line,
  };
}

/** What SPDX writes for what it does not know is no version. */
export function versionOf(stated: string): string {
  return stated === 'NOASSERTION' || stated === 'NONE' ? '' : stated;
}

function readReference(reference: unknown): readonly ExternalReference[] {
  if (!isJsonObject(reference)) return [];
  return [{ type: textOf(reference['referenceType']), locator: textOf(reference['referenceLocator']) }];
}

function readChecksum(checksum: unknown): readonly Integrity[] {
  if (!isJsonObject(checksum)) return [];
  const digest = sbomDigest(checksum['algorithm'], checksum['checksumValue']);
  return digest === undefined ? [] : [digest];
}

function readRelationship(stated: unknown): readonly Relationship[] {
  if (!isJsonObject(stated)) return [];
  const { spdxElementId: from, relationshipType: type, relatedSpdxElement: to } = stated;
  return typeof from === 'string' && typeof type === 'string' && typeof to === 'string'
    ? [{ from, type, to }]
    : [];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  return typeof value === 'number' ? String(value) : '';
}
