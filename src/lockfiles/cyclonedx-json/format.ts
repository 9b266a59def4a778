import { LockfileError } from '../errors.ts';
import type { Format } from '../format.ts';
import { sbomPackages } from '../sbom/sbom.ts';
import { type JsonObject, parseJsonObject } from '../syntax/parse-json.ts';
import { readBom } from './bom.ts';

const NAME = 'cyclonedx-json';

/** CycloneDX in JSON, from the first version that had it on. */
export const cyclonedxJson: Format = {
  name: NAME,
  title: 'CycloneDX SBOM in JSON (1.2 to 1.7)',
  ecosystem: undefined,
  fileNames: ['bom.json', '*.cdx.json', '*.cyclonedx.json'],
  facts: { edges: true, groups: true, integrity: true, lines: true },
  recognises: (head) => /^\s*\{/.test(head) && /"bomFormat"\s*:\s*"CycloneDX"/.test(head),
  read({ path, text }) {
    const root = parseJsonObject(text, path, 'a CycloneDX BOM');
    check(root, path);
    const { problems, ...sbom } = readBom(root, text, path);
    const read = sbomPackages(sbom);
    return { format: NAME, packages: read.packages, problems: [...problems, ...read.problems] };
  },
};

function check({ bomFormat, specVersion }: JsonObject, path: string): void {
  if (bomFormat !== 'CycloneDX') {
    throw new LockfileError(
      'wrong-format',
      `${path}: its \`bomFormat\` is not "CycloneDX": this is no CycloneDX BOM`,
    );
  }
  if (specVersion === undefined || (typeof specVersion === 'string' && /^1\.\d+$/.test(specVersion))) return;
  throw new LockfileError(
    'unsupported-version',
    `${path}: CycloneDX ${JSON.stringify(specVersion).slice(0, 40)} is not 1.x, which is read`,
  );
}
