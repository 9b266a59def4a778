import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FORMATS } from '../../src/lockfiles/catalog.ts';

const README = readFileSync(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8');
const rows = README.split('\n').filter((line) => line.startsWith('| `'));

/** The row of a format, as cells. */
function rowOf(name: string): readonly string[] | undefined {
  const row = rows.find((line) => line.split('|')[1]?.includes(`\`${name}\``) === true);
  return row?.split('|').map((cell) => cell.trim());
}

describe('the table of formats in README.md', () => {
  it.each(FORMATS.map((format) => [format.name, format] as const))(
    'says of %s what the code says',
    (name, format) => {
      const [, , files = '', ...facts] = rowOf(name) ?? [];
      expect(facts, `no row for ${name}`).toHaveLength(5);
      const { edges, groups, integrity, lines } = format.facts;
      const stated = facts.slice(0, 4).map((cell) => cell !== '–');
      expect(stated).toEqual([edges, groups, integrity, lines]);
      // At least one of its names; patterns and rare names are in `parse --formats`.
      expect(format.fileNames.some((file) => files.includes(`\`${file}\``) || files.includes(file))).toBe(
        true,
      );
    },
  );
});
