import { LockfileError } from '../errors.ts';
import type { Format } from '../format.ts';
import { sbomPackages } from '../sbom/sbom.ts';
import { spdxSbom } from '../spdx-json/document.ts';
import { spdxJson } from '../spdx-json/format.ts';
import { checkSpdxVersion } from '../spdx-json/version.ts';
import { readDocument } from './read-document.ts';
import { readTags } from './tags.ts';

const NAME = 'spdx-tag-value';

/** SPDX 2 as tags and values, one on each line. */
export const spdxTagValue: Format = {
  name: NAME,
  title: 'SPDX SBOM in tag-value (2.2, 2.3)',
  ecosystem: undefined,
  fileNames: ['*.spdx', '*.spdx.tv'],
  facts: { edges: true, groups: true, integrity: true, lines: true },
  recognises: (head) => /^SPDXVersion:\s*SPDX-/m.test(head),
  read(input) {
    const { path, text } = input;
    // The ending `.spdx` is for tag-value, and some tools put their JSON under it.
    if (/^\s*\{/.test(text)) return spdxJson.read(input);
    const { tags, problems } = readTags(text);
    const version = tags.find(({ tag }) => tag === 'SPDXVersion')?.value;
    if (version === undefined) {
      throw new LockfileError(
        'wrong-format',
        `${path}: it has no tag \`SPDXVersion\`: this is no SPDX document in tag-value`,
      );
    }
    checkSpdxVersion(version, path);
    const read = sbomPackages(spdxSbom(readDocument(tags)));
    return { format: NAME, packages: read.packages, problems: [...problems, ...read.problems] };
  },
};
