import type { Integrity } from '../../model/lockfile/lockfile.ts';
import { LockfileError } from '../errors.ts';
import type { Format } from '../format.ts';
import type { LockfileBuilder } from '../packages/lockfile-builder.ts';
import { addPackages } from '../sbom/sbom.ts';
import { sbomDigest } from '../sbom/values.ts';
import {
  checkSpdxVersion,
  type ExternalReference,
  type SpdxDocument,
  type SpdxPackage,
  spdxSbom,
} from '../spdx-json/document.ts';
import { spdxJson, versionOf } from '../spdx-json/format.ts';
import type { Relationship } from '../spdx-json/relationships.ts';

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
    addPackages(spdxSbom(readDocument(tags)), builder);
  },
};

/** A package while its tags are read. */
interface Draft extends SpdxPackage {
  id: string;
  version: string;
  purpose: string;
  downloadLocation: string;
  readonly references: ExternalReference[];
  readonly integrity: Integrity[];
}

/** Tags that begin a section of another kind. */
const SECTIONS: ReadonlySet<string> = new Set(['FileName', 'SnippetSPDXID', 'LicenseID']);

/** Reads packages and relationships from the tags. */
export function readDocument(tags: readonly Tag[]): SpdxDocument {
  const packages: Draft[] = [];
  const relationships: Relationship[] = [];
  let id: string | undefined;
  let section: Draft | 'document' | 'other' = 'document';
  for (const { tag, value, line } of tags) {
    if (tag === 'PackageName') {
      section = { ...newDraft(), name: value, line };
      packages.push(section);
    } else if (SECTIONS.has(tag)) section = 'other';
    else if (tag === 'Relationship') relationships.push(...readRelationship(value));
    else if (section === 'document') {
      if (tag === 'SPDXID') id ??= value;
    } else if (section !== 'other') readPackageTag(section, tag, value);
  }
  return { id: id ?? 'SPDXRef-DOCUMENT', packages, relationships };
}

function newDraft(): Draft {
  return {
    id: '',
    name: '',
    version: '',
    purpose: '',
    downloadLocation: '',
    references: [],
    integrity: [],
    line: undefined,
  };
}

function readPackageTag(draft: Draft, tag: string, value: string): void {
  switch (tag) {
    case 'SPDXID':
      draft.id = value;
      break;
    case 'PackageVersion':
      draft.version = versionOf(value);
      break;
    case 'PrimaryPackagePurpose':
      draft.purpose = value;
      break;
    case 'PackageDownloadLocation':
      draft.downloadLocation = value;
      break;
    case 'ExternalRef': {
      const [, type = '', locator = ''] = value.split(/\s+/);
      draft.references.push({ type, locator });
      break;
    }
    case 'PackageChecksum': {
      const [algorithm = '', digest = ''] = value.split(':', 2).map((part) => part.trim());
      const read = sbomDigest(algorithm, digest);
      if (read !== undefined) draft.integrity.push(read);
      break;
    }
  }
}

function readRelationship(value: string): readonly Relationship[] {
  const [from, type, to] = value.split(/\s+/);
  return from !== undefined && type !== undefined && to !== undefined ? [{ from, type, to }] : [];
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
