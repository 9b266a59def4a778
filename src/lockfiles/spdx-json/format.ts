import { isObject, type JsonObject } from '../../model/json-object.ts';
import { LockfileError } from '../errors.ts';
import type { Format } from '../format.ts';
import type { LockfileBuilder } from '../packages/lockfile-builder.ts';
import { addPackages, sbomDigest, textOf } from '../sbom/sbom.ts';
import type { LineNode, Wanted } from '../syntax/json-lines.ts';
import { parseJsonLines } from '../syntax/parse-json.ts';
import { tablesIn, textsIn } from '../syntax/parse-toml.ts';
import { checkSpdxVersion, type SpdxDocument, type SpdxPackage, spdxSbom } from './document.ts';
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
/** Converts a document in JSON. `lines`: those of its packages. Reports malformed packages to `builder`. */
export function readDocument(
  root: JsonObject,
  lines: LineNode | undefined,
  builder: LockfileBuilder,
): SpdxDocument {
  const { SPDXID, packages, relationships, documentDescribes } = root;
  const id = textOf(SPDXID) || 'SPDXRef-DOCUMENT';
  return {
    id,
    packages: readPackages(Array.isArray(packages) ? packages : [], lines, builder),
    relationships: [
      ...textsIn(documentDescribes).map((to) => ({ from: id, type: 'DESCRIBES', to })),
      ...tablesIn(relationships).flatMap(relationshipIn),
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
    references: tablesIn(externalRefs).map(({ referenceType, referenceLocator }) => ({
      type: textOf(referenceType),
      locator: textOf(referenceLocator),
    })),
    integrity: tablesIn(checksums).flatMap(
      ({ algorithm, checksumValue }) => sbomDigest(algorithm, checksumValue) ?? [],
    ),
    downloadLocation: textOf(downloadLocation),
    line,
  };
}

/** A version, without SPDX's words for an unknown one. */
function versionOf(stated: string): string {
  return stated === 'NOASSERTION' || stated === 'NONE' ? '' : stated;
}

function relationshipIn(stated: JsonObject): readonly Relationship[] {
  const { spdxElementId: from, relationshipType: type, relatedSpdxElement: to } = stated;
  return typeof from === 'string' && typeof type === 'string' && typeof to === 'string'
    ? [{ from, type, to }]
    : [];
}
