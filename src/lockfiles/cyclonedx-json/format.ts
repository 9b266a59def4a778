import { LockfileError } from '../errors.ts';
import type { Format } from '../format.ts';
import { LockfileBuilder } from '../packages/lockfile-builder.ts';
import { addPackages } from '../sbom/sbom.ts';
import { type JsonObject, parseJsonObject } from '../syntax/parse-json.ts';
import { readBom } from './bom.ts';

/** CycloneDX in JSON. */
export const cyclonedxJson: Format = {
  name: 'cyclonedx-json',
  title: 'CycloneDX SBOM in JSON (1.2 to 1.7)',
  ecosystem: undefined,
  fileNames: ['bom.json', '*.cdx.json', '*.cyclonedx.json'],
  facts: { edges: true, groups: true, integrity: true, lines: true },
  recognises: (head) => /^\s*\{/.test(head) && /"bomFormat"\s*:\s*"CycloneDX"/.test(head),
  read({ path, text }) {
    const root = parseJsonObject(text, path, 'a CycloneDX BOM');
    check(root, path);
    const builder = new LockfileBuilder();
    addPackages(readBom(root, { text, path }, builder), builder);
    return builder.content();
  },
};

function check({ bomFormat, specVersion }: JsonObject, path: string): void {
  if (bomFormat !== 'CycloneDX') {
    throw new LockfileError(
      'wrong-format',
      `${path}: not a CycloneDX BOM: its \`bomFormat\` is not "CycloneDX"`,
    );
  }
  if (specVersion === undefined || (typeof specVersion === 'string' && /^1\.\d+$/.test(specVersion))) return;
  throw new LockfileError(
    'unsupported-version',
    `${path}: CycloneDX ${JSON.stringify(specVersion).slice(0, 40)} is not supported; supported: 1.x`,
  );
}
