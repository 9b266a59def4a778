import fc from 'fast-check';

/** Pieces with a meaning in JSON, and invalid ones. */
const PIECE = fc.constantFrom(
  ...[
    '"',
    '\\',
    ',',
    ':',
    '{',
    '}',
    '[',
    ']',
    '\n',
    '\r',
    ' ',
    '\t',
    '\u0001',
    '\u001f',
    '\v',
    '\u00a0',
    '\u2028',
  ],
  ...[
    '0',
    '-',
    '.',
    'e',
    'true',
    'null',
    'u',
    '\\u0041',
    '//',
    '/**/',
    '"a":1,',
    '"a"',
    '{}',
    '[]',
    'é',
    '\ud800',
  ],
);

/** Texts unchanged, cut off, or with characters deleted, doubled or replaced. */
export function damaged(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const place = fc.double({ min: 0, max: 1, noNaN: true });
  return fc
    .tuple(
      texts,
      fc.array(fc.tuple(place, fc.nat({ max: 3 }), fc.oneof(fc.constant(''), PIECE)), { maxLength: 2 }),
      fc.constantFrom('change', 'double', 'cut', 'change'),
    )
    .map(([text, changes, kind]) =>
      changes.reduce((before, [where, length, piece]) => {
        const at = Math.floor(where * before.length);
        if (kind === 'cut') return before.slice(0, at);
        if (kind === 'double') return before.slice(0, at + length) + before.slice(at);
        return before.slice(0, at) + piece + before.slice(at + length);
      }, text),
    );
}
