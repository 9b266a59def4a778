import { describe, expect, test } from 'vitest';
import { readBundledDescription } from '../../src/discovery/bundled.ts';
import { checkAgainstSchema } from './check-against-schema.ts';

const insights = await readBundledDescription('insights.v3alpha');
const webhooks = await readBundledDescription('webhooks.v1');

describe('a body against its schema', () => {
  const purls = (value: unknown) =>
    checkAgainstSchema(insights, 'PurlLookupBatchRequest', value, 'insights.purlLookupBatch');
  const variable = (value: unknown) =>
    checkAgainstSchema(
      webhooks,
      'WebhooksIntegrationCustomVariable',
      value,
      'webhooks.customVariables.create',
    );

  test('that fits has no problems, unknown properties included', () => {
    expect(purls({ requests: [{ purl: 'pkg:npm/a@1' }], extra: 1 })).toEqual([]);
    expect(variable({ name: 'TOKEN_1', value: 'x', is_secret: true })).toEqual([]);
  });

  test('that does not fit is reported by path', () => {
    expect(purls({})).toEqual([{ path: '$.requests', message: 'is required' }]);
    expect(purls({ requests: [{ purl: 'pkg:npm/a@1' }, { purl: 'pkg:oci/a@1' }, {}, 3] })).toEqual([
      { path: '$.requests[1].purl', message: expect.stringContaining('has to match') },
      { path: '$.requests[2].purl', message: 'is required' },
      { path: '$.requests[3]', message: 'has to be an object' },
    ]);
    expect(variable({ name: 'token', value: 1 }).map(({ path }) => path)).toEqual([
      '$.name',
      '$.value',
      '$.is_secret',
    ]);
    expect(purls([])).toEqual([{ path: '$', message: 'has to be an object' }]);
  });

  test('may hold null only where the schema says so', () => {
    const update = (value: unknown) =>
      checkAgainstSchema(webhooks, 'WebhooksIntegrationUpdateRequest', value);
    expect(update({ payload: null })).toEqual([]);
    expect(update({ url: null, encode_as: 'xml' })).toEqual([
      { path: '$.url', message: 'has to be text' },
      { path: '$.encode_as', message: 'has to be one of json, form' },
    ]);
  });

  test('has a bounded number of reported problems', () => {
    expect(purls({ requests: Array.from({ length: 5000 }, () => 0) })).toHaveLength(20);
  });

  test('terminates on schemas that refer to each other', () => {
    const cyclic = {
      schemas: {
        A: { $ref: 'C' },
        C: { $ref: 'A' },
        B: { type: 'object', properties: { b: { $ref: 'B' } } },
      },
    };
    expect(checkAgainstSchema(cyclic, 'A', {})).toHaveLength(1);
    expect(checkAgainstSchema(cyclic, 'B', { b: { b: 3 } })).toEqual([
      { path: '$.b.b', message: 'has to be an object' },
    ]);
  });
});
