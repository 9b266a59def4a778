import { expect, test } from 'vitest';
import { textFormatProblem } from '../../src/discovery/request/formats.ts';
import { numberProblem } from '../../src/discovery/request/numbers.ts';

const cases: Readonly<Record<string, { fits: readonly string[]; not: readonly string[] }>> = {
  byte: { fits: ['', 'YQ==', 'YQ', 'a-_8', 'ab+/'], not: ['a', 'a b', 'ab=c', 'a+-_'] },
  date: { fits: ['2024-02-29'], not: ['2023-02-29', '2024-13-01', '24-01-01', '2024-1-1'] },
  'date-time': {
    fits: ['2024-02-29T23:59:60Z', '2024-01-01T00:00:00.123456789+05:30', '2024-01-01t00:00:00z'],
    not: ['2024-01-01', '2024-01-01T24:00:00Z', '2024-01-01T00:00:00', '2023-02-30T00:00:00Z'],
  },
  'google-datetime': { fits: ['2024-01-01T00:00:00Z'], not: ['yesterday'] },
  'google-duration': { fits: ['3s', '-1.5s', '0.000000001s'], not: ['3', '1m', '1.0000000001s', ''] },
  'google-fieldmask': {
    fits: ['', 'a', 'a.b,c_d', '*', 'map.`odd key`.x'],
    not: ['a,', '#frag', 'a b', 'a..b'],
  },
  'google-something-new': { fits: ['anything'], not: [] },
};

test.each(Object.entries(cases))('%s', (format, { fits, not }) => {
  expect(fits.filter((text) => textFormatProblem(format, text) !== undefined)).toEqual([]);
  expect(not.filter((text) => textFormatProblem(format, text) === undefined)).toEqual([]);
});

test.each([
  [{ type: 'integer', format: 'int32' }, '2147483647', '2147483648'],
  [{ type: 'integer', format: 'uint32' }, '4294967295', '-1'],
  [{ type: 'string', format: 'int64' }, '-9223372036854775808', '-9223372036854775809'],
  [{ type: 'string', format: 'uint64' }, '18446744073709551615', '18446744073709551616'],
  [{ type: 'string', format: 'uint64', maximum: '9007199254740993' }, '9007199254740993', '9007199254740994'],
  [{ type: 'integer', minimum: '1' }, '1', '0'],
  [{ type: 'integer' }, '12', '1.5'],
  [{ type: 'number', format: 'double' }, '1e308', '1e309'],
  [{ type: 'number', format: 'float' }, '3.4e38', '3.5e38'],
  [{ type: 'number', maximum: '0.5' }, '.5', '0.51'],
  [{ type: 'number' }, '-1.5E-3', 'NaN'],
  [{ type: 'integer' }, '1', '1'.repeat(41)],
])('%j accepts %s and refuses %s', (description, good, bad) => {
  expect(numberProblem(description, good)).toBeUndefined();
  expect(numberProblem(description, bad)).toBeTypeOf('string');
});
