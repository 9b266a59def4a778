import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unitsOf } from '../../src/lockfiles/syntax/code-units.ts';
import { RepeatedParts } from '../../src/lockfiles/syntax/repeated-parts.ts';

describe('repeated parts of a text', () => {
  it('have the value of an equal part, or none', () => {
    const words = fc.array(fc.constantFrom('a', 'b', 'ab', 'ba', 'aé', 'éa', 'abc@1'), { minLength: 1 });
    fc.assert(
      fc.property(words, (all) => {
        const text = all.join(' ');
        const parts = new RepeatedParts<string>(unitsOf(text));
        let [at, found] = [0, 0];
        for (const word of all) {
          const known = parts.find(at, at + word.length);
          if (known === undefined) parts.set(at, at + word.length, word);
          else {
            expect(known).toBe(word);
            found += 1;
          }
          at += word.length + 1;
        }
        if (new Set(all).size === 1) expect(found).toBe(all.length - 1);
      }),
    );
  });

  it('are found again among thousands of others', () => {
    const lines = Array.from(
      { length: 20_000 },
      (_, index) => `package-${index % 1_000}: 1.0.${index % 1_000}`,
    );
    const text = lines.join('\n');
    const parts = new RepeatedParts<number>(unitsOf(text));
    let [at, found] = [0, 0];
    for (const [index, line] of lines.entries()) {
      const known = parts.find(at, at + line.length);
      if (known === undefined) parts.set(at, at + line.length, index % 1_000);
      else {
        expect(known).toBe(index % 1_000);
        found += 1;
      }
      at += line.length + 1;
    }
    expect(found).toBeGreaterThan(10_000);
  });

  it('are forgotten before a position', () => {
    const parts = new RepeatedParts<string>(unitsOf('one one one'));
    parts.set(0, 3, 'first');
    expect(parts.find(4, 7)).toBe('first');
    parts.forgetBefore(4);
    expect(parts.find(4, 7)).toBeUndefined();
    parts.set(4, 7, 'second');
    expect(parts.find(8, 11)).toBe('second');
  });
});
