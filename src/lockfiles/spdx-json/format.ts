import { LockfileError } from '../errors.ts';
import type { Format } from '../format.ts';
import { LockfileBuilder } from '../packages/lockfile-builder.ts';
import { addPackages } from '../sbom/sbom.ts';
import { isJsonObject, type JsonObject, parseJsonObject } from '../syntax/parse-json.ts';
import { checkSpdxVersion, spdxSbom } from './document.ts';
import { readDocument } from './read-document.ts';

/** SPDX 2 in JSON. */
export const spdxJson: Format = {
  name: 'spdx-json',
  title: 'SPDX SBOM in JSON (2.2, 2.3)',
  ecosystem: undefined,
  fileNames: ['*.spdx.json'],
  facts: { edges: true, groups: true, integrity: true, lines: true },
  recognises: (head) => /^\s*\{/.test(head) && /"(?:spdxVersion"\s*:\s*"SPDX-|SPDXID"\s*:)/.test(head),
  read({ path, text }) {
    const root = documentOf(parseJsonObject(text, path, 'an SPDX document'));
    check(root, path);
    const builder = new LockfileBuilder();
    addPackages(spdxSbom(readDocument(root, text, builder)), builder);
    return builder.content();
  },
};

/** GitHub's export has the document in a member `sbom`. */
function documentOf(root: JsonObject): JsonObject {
  const { sbom } = root;
  return root['spdxVersion'] === undefined && isJsonObject(sbom) ? sbom : root;
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
