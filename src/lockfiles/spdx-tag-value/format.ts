import type { JsonObject } from '../../model/json-object.ts';
import { LockfileError } from '../errors.ts';
import type { Format } from '../format.ts';
import type { LockfileBuilder } from '../packages/lockfile-builder.ts';
import { addPackages } from '../sbom/sbom.ts';
import { checkSpdxVersion, spdxSbom } from '../spdx-json/document.ts';
import { readDocument, spdxJson } from '../spdx-json/format.ts';
import type { LineNode } from '../syntax/json-lines.ts';

/** SPDX 2 in its tag-value notation: one tag on each line. */
export const spdxTagValue: Format = {
  name: 'spdx-tag-value',
  title: 'SPDX SBOM in tag-value (2.2, 2.3)',
  ecosystem: undefined,
  fileNames: ['*.spdx', '*.spdx.tv'],
  facts: { edges: true, groups: true, integrity: true, lines: true },
  recognises: (head) => /^SPDXVersion:\s*SPDX-/m.test(head),
  read(input, builder) {
    const { path, text } = input;
    // Some tools write JSON to files with the extension `.spdx`.
    if (/^\s*\{/.test(text)) {
      builder.state({ format: spdxJson.name });
      return spdxJson.read(input, builder);
    }
    const tags = readTags(text, builder);
    const version = tags.find(({ tag }) => tag === 'SPDXVersion')?.value;
    if (version === undefined) {
      throw new LockfileError(
        'wrong-format',
        `${path}: not an SPDX document in tag-value: it has no tag \`SPDXVersion\``,
      );
    }
    checkSpdxVersion(version, path);
    const { document, lines } = asJson(tags);
    addPackages(spdxSbom(readDocument(document, lines, builder)), builder);
  },
};

/** Tags that begin a section of another kind. */
const SECTIONS: ReadonlySet<string> = new Set(['FileName', 'SnippetSPDXID', 'LicenseID']);

/** The fields of a package in JSON by tag. */
const FIELDS: ReadonlyMap<string, string> = new Map([
  ['SPDXID', 'SPDXID'],
  ['PackageVersion', 'versionInfo'],
  ['PrimaryPackagePurpose', 'primaryPackagePurpose'],
  ['PackageDownloadLocation', 'downloadLocation'],
]);

/** The document as JSON writes it, with the lines of its packages. */
function asJson(tags: readonly Tag[]): { readonly document: JsonObject; readonly lines: LineNode } {
  const packages: PackageDraft[] = [];
  const elements: LineNode[] = [];
  const relationships: JsonObject[] = [];
  let id: string | undefined;
  let section: PackageDraft | 'document' | 'other' = 'document';
  for (const { tag, value, line } of tags) {
    if (tag === 'PackageName') {
      section = { fields: { name: value }, externalRefs: [], checksums: [] };
      packages.push(section);
      elements.push({ line, members: undefined, elements: undefined });
    } else if (SECTIONS.has(tag)) section = 'other';
    else if (tag === 'Relationship') {
      const [spdxElementId, relationshipType, relatedSpdxElement] = value.split(/\s+/);
      relationships.push({ spdxElementId, relationshipType, relatedSpdxElement });
    } else if (section === 'document') {
      if (tag === 'SPDXID') id ??= value;
    } else if (section !== 'other') readPackageTag(section, tag, value);
  }
  const members = new Map([['packages', { line: 1, members: undefined, elements }]]);
  return {
    document: {
      SPDXID: id,
      packages: packages.map(({ fields, ...lists }) => ({ ...fields, ...lists })),
      relationships,
    },
    lines: { line: 1, members, elements: undefined },
  };
}

/** A package while its tags are read. */
interface PackageDraft {
  readonly fields: Record<string, string>;
  readonly externalRefs: JsonObject[];
  readonly checksums: JsonObject[];
}

function readPackageTag({ fields, externalRefs, checksums }: PackageDraft, tag: string, value: string): void {
  const field = FIELDS.get(tag);
  if (field !== undefined) fields[field] = value;
  else if (tag === 'ExternalRef') {
    const [, referenceType, referenceLocator] = value.split(/\s+/);
    externalRefs.push({ referenceType, referenceLocator });
  } else if (tag === 'PackageChecksum') {
    const [algorithm, checksumValue] = value.split(':', 2).map((part) => part.trim());
    checksums.push({ algorithm, checksumValue });
  }
}

interface Tag {
  readonly tag: string;
  readonly value: string;
  /** 1-based. */
  readonly line: number;
}

const TAG = /^([A-Za-z][A-Za-z0-9-]*)\s*:(.*)$/s;
const OPENING = '<text>';
const CLOSING = '</text>';

/** Splits a document into its tags. Values in `<text>` can have several lines. Reports malformed lines to `builder`. */
function readTags(text: string, builder: LockfileBuilder): readonly Tag[] {
  const tags: Tag[] = [];
  const rows = text.split('\n');
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index]?.trim() ?? '';
    if (row === '' || row.startsWith('#')) continue;
    const line = index + 1;
    const [, tag, first] = TAG.exec(row) ?? [];
    if (tag === undefined || first === undefined) {
      builder.problem(line, 'the line is neither `Tag: value` nor a comment');
      continue;
    }
    const parts = [first.trimStart()];
    // A text without an end counts as one line, so that the rest of the file is still read.
    if (parts[0]?.startsWith(OPENING) && !first.includes(CLOSING)) {
      const end = endOfText(rows, index + 1);
      if (end === undefined) builder.problem(line, `the ${OPENING} of ${tag} has no ${CLOSING}`);
      for (; index < (end ?? 0); index += 1) parts.push(rows[index + 1] ?? '');
    }
    tags.push({ tag, value: unwrapped(parts.join('\n')), line });
  }
  return tags;
}

/** Index of the row that ends a text; `undefined` when another text begins before. */
function endOfText(rows: readonly string[], from: number): number | undefined {
  for (let index = from; index < rows.length; index += 1) {
    if (rows[index]?.includes(CLOSING)) return index;
    if (rows[index]?.includes(OPENING)) return undefined;
  }
  return undefined;
}

function unwrapped(value: string): string {
  return value.startsWith(OPENING)
    ? value
        .slice(OPENING.length)
        .replace(/<\/text>.*$/s, '')
        .trim()
    : value;
}
