import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RULE_NAMES } from '../../src/policy/catalog.ts';

const DOCS = join(import.meta.dirname, '../../docs');
const PARTS = ['**Means:**', '**How sure:**', '**What to do:**'];

/** The sections of a page by their headings. */
function sectionsOf(page: string): ReadonlyMap<string, string> {
  const [, ...sections] = readFileSync(join(DOCS, page), 'utf8').split(/^#{2,3} /m);
  return new Map(
    sections.flatMap((text) => {
      const [heading = ''] = text.split('\n');
      return heading.split(', ').map((name) => [name, text] as const);
    }),
  );
}

describe('the documentation of the rules', () => {
  const [rules, signals] = [sectionsOf('rules.md'), sectionsOf('signals.md')];

  it.each(RULE_NAMES)('says what it means, how sure it is and what to do: %s', (name) => {
    const own = rules.get(name);
    if (own === undefined) {
      expect(rules.get('Signals')).toContain(`\`${name}\``);
      expect(signals.get(name)).toContain('*How sure:*');
    } else {
      expect(PARTS.filter((part) => !own.includes(part))).toEqual([]);
    }
  });

  it('names no rule that does not exist', () => {
    const unknown = [...rules.keys()].filter((name) => name !== 'Signals' && !RULE_NAMES.includes(name));
    expect(unknown).toEqual([]);
  });
});
