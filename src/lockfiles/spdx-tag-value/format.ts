import { LockfileError } from '../errors.ts';
import type { Format } from '../format.ts';
import { LockfileBuilder } from '../packages/lockfile-builder.ts';
import { addPackages } from '../sbom/sbom.ts';
import { checkSpdxVersion, spdxSbom } from '../spdx-json/document.ts';
import { spdxJson } from '../spdx-json/format.ts';
import { readDocument, readTags } from './read-document.ts';

/** SPDX 2 in its tag-value notation: one tag on each line. */
export const spdxTagValue: Format = {
  name: 'spdx-tag-value',
  title: 'SPDX SBOM in tag-value (2.2, 2.3)',
  ecosystem: undefined,
  fileNames: ['*.spdx', '*.spdx.tv'],
  facts: { edges: true, groups: true, integrity: true, lines: true },
  recognises: (head) => /^SPDXVersion:\s*SPDX-/m.test(head),
  read(input) {
    const { path, text } = input;
    // Some tools write JSON to files with the extension `.spdx`.
    if (/^\s*\{/.test(text)) return { ...spdxJson.read(input), format: spdxJson.name };
    const builder = new LockfileBuilder();
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
    return builder.content();
  },
};
