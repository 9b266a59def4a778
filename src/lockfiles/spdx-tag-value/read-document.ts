import type { Integrity } from '../../model/scan/lockfile.ts';
import { sbomDigest } from '../sbom/sbom-digest.ts';
import type { SpdxDocument, SpdxPackage } from '../spdx-json/document.ts';
import type { ExternalReference } from '../spdx-json/external-reference.ts';
import { versionOf } from '../spdx-json/read-document.ts';
import type { Relationship } from '../spdx-json/relationships.ts';
import type { Tag } from './tags.ts';

/** A package while its tags are being read. */
interface Draft extends SpdxPackage {
  id: string;
  version: string;
  purpose: string;
  readonly references: ExternalReference[];
  readonly integrity: Integrity[];
}

/** Tags that begin something else, to which the tags after them belong. */
const SECTIONS: ReadonlySet<string> = new Set(['FileName', 'SnippetSPDXID', 'LicenseID']);

/** What the tags say of packages and their relationships. */
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
  return { id: '', name: '', version: '', purpose: '', references: [], integrity: [], line: undefined };
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
    case 'ExternalRef': {
      const [, type = '', locator = ''] = value.split(/\s+/);
      draft.references.push({ type, locator });
      break;
    }
    case 'PackageChecksum': {
      const [algorithm = '', digest = ''] = value.split(/\s*:\s*/);
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
