import { expect, it } from 'vitest';
import { targetSourceSchema } from '../../src/model/watch/source.ts';

it('a source takes no pattern that would be compared in exponential time', () => {
  const parse = (pattern: string) =>
    targetSourceSchema().safeParse({ kind: 'path', path: '/srv/repositories', exclude: [pattern] });
  expect(parse('**/fixtures/**').success).toBe(true);
  const { error } = parse(`${'**/a/'.repeat(6)}c`);
  expect(error?.issues.map(({ message }) => message).join()).toContain('at most two `**`');
});
