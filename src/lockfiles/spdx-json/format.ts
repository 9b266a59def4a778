import { isObject, type JsonObject } from '../../model/json-object.ts';
import type { Integrity } from '../../model/lockfile/lockfile.ts';
import { LockfileError } from '../errors.ts';
import type { Format } from '../format.ts';
import type { LockfileBuilder } from '../packages/lockfile-builder.ts';
import { addPackages } from '../sbom/sbom.ts';
import { sbomDigest, textOf } from '../sbom/values.ts';
import type { LineNode, Wanted } from '../syntax/json-lines.ts';
import { parseJsonLines } from '../syntax/parse-json.ts';
import {
  checkSpdxVersion,
  type ExternalReference,
  type SpdxDocument,
  type SpdxPackage,
  spdxSbom,
} from './document.ts';
import type { Relationship } from './relationships.ts';

/** SPDX 2 in JSON. */
export const spdxJson: Format = {
  name: 'spdx-json',
  title: 'SPDX SBOM in JSON (2.2, 2.3)',
  ecosystem: undefined,
  fileNames: ['*.spdx.json'],
  facts: { edges: true, groups: true, integrity: true, lines: true },
  recognises: (head) => /^\s*\{/.test(head) && /"(?:spdxVersion"\s*:\s*"SPDX-|SPDXID"\s*:)/.test(head),
  read(input, builder) {
    const { path } = input;
    const { root, lines } = parseJsonLines(input, 'an SPDX document', WANTED);
    const document = documentOf(root);
    check(document, path);
    addPackages(spdxSbom(readDocument(document, lines, builder)), builder);
  },
};

/** GitHub's export has the document in a member `sbom`. */
function documentOf(root: JsonObject): JsonObject {
  const { sbom } = root;
  return root['spdxVersion'] === undefined && isObject(sbom) ? sbom : root;
}

function check(root: JsonObject, path: string): void {
  const { spdxVersion, '@context': context } = root;
  if (typeof spdxVersion === 'string') checkSpdxVersion(spdxVersion, path);
  else if (context !== undefined) {
    throw new LockfileError(
      'unsupported-version',
      `${path}: SPDX 3 is not supported; export the SBOM as SPDX 2.3 or as CycloneDX`,
    );
  } else {
    throw new LockfileError('wrong-format', `${path}: not an SPDX document: it has no \`spdxVersion\``);
  }
}

/** Reads packages and relationships from the JSON. Reports malformed packages to `builder`. */
function readDocument(root: JsonObject, lines: LineNode | undefined, builder: LockfileBuilder): SpdxDocument {
  const { SPDXID, packages, relationships, documentDescribes } = root;
  const id = textOf(SPDXID) || 'SPDXRef-DOCUMENT';
  const described = listOf(documentDescribes).filter((one) => typeof one === 'string');
  return {
    id,
    packages: readPackages(listOf(packages), lines, builder),
    relationships: [
      ...described.map((to) => ({ from: id, type: 'DESCRIBES', to })),
      ...listOf(relationships).flatMap(readRelationship),
    ],
  };
}

const PACKAGES: Readonly<Record<string, Wanted>> = { packages: { each: {} } };
/** GitHub's export has the document in a member `sbom`. */
const WANTED: Wanted = { members: { ...PACKAGES, sbom: { members: PACKAGES } } };

function readPackages(
  packages: readonly unknown[],
  document: LineNode | undefined,
  builder: LockfileBuilder,
): readonly SpdxPackage[] {
  const top = document?.members;
  const lines = (top?.get('packages') ?? top?.get('sbom')?.members?.get('packages'))?.elements;
  const read: SpdxPackage[] = [];
  for (const one of packages) {
    if (isObject(one)) read.push(readPackage(one, lines?.[read.length]?.line));
    else builder.problem(undefined, 'a package is not an object');
  }
  return read;
}

function readPackage(one: JsonObject, line: number | undefined): SpdxPackage {
  const { SPDXID, name, versionInfo, primaryPackagePurpose, externalRefs, checksums, downloadLocation } = one;
  return {
    id: textOf(SPDXID),
    name: textOf(name),
    version: versionOf(textOf(versionInfo)),
    purpose: textOf(primaryPackagePurpose),
    references: listOf(externalRefs).flatMap(readReference),
    integrity: listOf(checksums).flatMap(readChecksum),
    downloadLocation: textOf(downloadLocation),
    line,
  };
}

/** A version, without SPDX's words for an unknown one. */
export function versionOf(stated: string): string {
  return stated === 'NOASSERTION' || stated === 'NONE' ? '' : stated;
}

function readReference(reference: unknown): readonly ExternalReference[] {
  if (!isObject(reference)) return [];
  return [{ type: textOf(reference['referenceType']), locator: textOf(reference['referenceLocator']) }];
}

function readChecksum(checksum: unknown): readonly Integrity[] {
  if (!isObject(checksum)) return [];
  const digest = sbomDigest(checksum['algorithm'], checksum['checksumValue']);
  return digest === undefined ? [] : [digest];
}

function readRelationship(stated: unknown): readonly Relationship[] {
  if (!isObject(stated)) return [];
  const { spdxElementId: from, relationshipType: type, relatedSpdxElement: to } = stated;
  return typeof from === 'string' && typeof type === 'string' && typeof to === 'string'
    ? [{ from, type, to }]
    : [];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
