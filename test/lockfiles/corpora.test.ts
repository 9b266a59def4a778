import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readCases } from '../../scripts/conformance/cases.ts';
import { compareCase } from '../../scripts/conformance/compare.ts';
import { compareReal } from '../../scripts/conformance/real.ts';
import { CORPORA } from './reading.ts';

const present = existsSync(join(CORPORA, 'lockfiles'));
const cases = present ? readCases(CORPORA).map((one) => [`${one.group}/${one.name}`, one] as const) : [];
const real = existsSync(join(CORPORA, 'real'))
  ? compareReal(CORPORA).map(({ name, comparison }) => [name, comparison] as const)
  : [];

describe.skipIf(cases.length === 0)('the test tables of other scanners', () => {
  it.each(cases)('%s', (_name, one) => {
    expect(compareCase(one).failures).toEqual([]);
  });
});

describe.skipIf(real.length === 0)('whole lockfiles of known projects', () => {
  it.each(real)('%s', (_name, { failures }) => {
    expect(failures).toEqual([]);
  });
});
