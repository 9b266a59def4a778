import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readPurl } from '../../src/insights/request/purl.ts';
import { systemOf, writePurl } from '../../src/model/lockfile/ecosystem.ts';

const segment = fc
  .stringMatching(/^[A-Za-z0-9~._@+%:!*'() -]{1,12}$/)
  .filter((text) => !/\s|^\.+$/.test(text));

test('a written purl is read back unchanged, for any characters', () => {
  const names = fc.constantFrom('npm', 'cargo', 'gem', 'golang').chain((type) =>
    fc.record({
      type: fc.constant(type),
      name: fc.array(segment, { minLength: 1, maxLength: 3 }).map((segments) => segments.join('/')),
      version: fc.option(
        segment.filter((text) => type !== 'golang' || !/^\d/.test(text)),
        { nil: undefined },
      ),
    }),
  );
  fc.assert(
    fc.property(names, ({ type, name, version }) => {
      const purl = writePurl(type, name, version);
      expect(readPurl(purl)).toEqual({ system: systemOf(type), name, version, purl });
    }),
  );
});

test('a written purl has each segment of its name percent-encoded, and nothing else', () => {
  const name = fc.oneof(fc.stringMatching(/^[@\w.~/-]{1,20}$/), fc.string({ unit: 'grapheme' }));
  fc.assert(
    fc.property(name, (text) => {
      const segments = text.split('/').map(encodeURIComponent);
      expect(writePurl('npm', text)).toBe(`pkg:npm/${segments.join('/')}`);
      expect(writePurl('npm', 'a', text)).toBe(`pkg:npm/a@${encodeURIComponent(text)}`);
    }),
  );
  expect(writePurl('npm', '@babel/core', '1.0.0+a')).toBe('pkg:npm/%40babel/core@1.0.0%2Ba');
  expect(writePurl('maven', 'org.slf4j:slf4j-api', '2.0.0')).toBe('pkg:maven/org.slf4j/slf4j-api@2.0.0');
});

test('text that is not a purl is refused by a rule', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.string().map((text) => `pkg:npm/${text}`),
      ),
      (text) => {
        try {
          expect(readPurl(text).purl).toMatch(/^pkg:[a-z]+\/\S+$/);
        } catch (error) {
          expect(error).toMatchObject({ code: 'invalid', rule: expect.stringMatching(/^purl-|^name-form$/) });
        }
      },
    ),
  );
});
