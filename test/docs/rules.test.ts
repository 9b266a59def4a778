import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RULE_NAMES } from '../../src/policy/catalog.ts';

const PAGES = join(import.meta.dirname, '../../docs/rules');

describe('the documentation of the rules', () => {
  it('has a page for each rule, and no other page', () => {
    const pages = readdirSync(PAGES).filter((name) => name !== 'index.md');
    expect(pages.sort()).toEqual(RULE_NAMES.map((name) => `${name}.md`).sort());
  });

  it('lists each rule with a link to its page', () => {
    const index = readFileSync(join(PAGES, 'index.md'), 'utf8');
    expect(RULE_NAMES.filter((name) => !index.includes(`[\`${name}\`](${name}.md)`))).toEqual([]);
  });
});
