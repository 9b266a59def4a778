import { LockfileError } from '../errors.ts';
import type { Format } from '../format.ts';
import { ProblemList } from '../packages/problem-list.ts';
import { sbomPackages } from '../sbom/sbom.ts';
import { isJsonObject, type JsonObject, parseJsonObject } from '../syntax/parse-json.ts';
import { spdxSbom } from './document.ts';
import { readDocument } from './read-document.ts';
import { checkSpdxVersion } from './version.ts';

const NAME = 'spdx-json';

/** SPDX 2 in JSON. */
export const spdxJson: Format = {
  name: NAME,
  title: 'SPDX SBOM in JSON (2.2, 2.3)',
  ecosystem: undefined,
  fileNames: ['*.spdx.json'],
  facts: { edges: true, groups: true, integrity: true, lines: true },
  recognises: (head) => /^\s*\{/.test(head) && /"(?:spdxVersion"\s*:\s*"SPDX-|SPDXID"\s*:)/.test(head),
  read({ path, text }) {
    const root = documentOf(parseJsonObject(text, path, 'an SPDX document'));
    check(root, path);
    const problems = new ProblemList();
    const read = sbomPackages(spdxSbom(readDocument(root, text, problems)));
    return { format: NAME, packages: read.packages, problems: [...problems.all(), ...read.problems] };
  },
};

/** GitHub's export wraps the document. */
function documentOf(root: JsonObject): JsonObject {
  const { sbom } = root as Partial<Record<string, unknown>>;
  return root['spdxVersion'] === undefined && isJsonObject(sbom) ? sbom : root;
}

function check(root: JsonObject, path: string): void {
  const { spdxVersion, '@context': context } = root as Partial<Record<string, unknown>>;
  if (typeof spdxVersion === 'string') checkSpdxVersion(spdxVersion, path);
  else if (context !== undefined) {
    throw new LockfileError(
      'unsupported-version',
      `${path}: SPDX 3 is not read; export the SBOM as SPDX 2.3 or as CycloneDX`,
    );
  } else {
    throw new LockfileError('wrong-format', `${path}: it has no \`spdxVersion\`: this is no SPDX document`);
  }
}
