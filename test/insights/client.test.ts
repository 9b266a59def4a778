import { expect, test } from 'vitest';
import { startInsightsService } from '../../src/embedded/insights/service.ts';
import { InsightsError, openInsightsClient } from '../../src/insights-client.ts';

test('the library entry requests, iterates and closes', async () => {
  const local = await startInsightsService();
  const { operations, service, batches, close } = await openInsightsClient({
    url: local.url,
    requestsPerSecond: 100,
    privatePackages: ['@corp/*'],
  });
  const { signal } = new AbortController();
  try {
    const answered = await operations.getVersion(
      service,
      { system: 'NPM', name: 'lodash', version: '4.17.20' },
      { signal },
    );
    expect(answered.value?.licenses).toEqual(['MIT']);
    const { error } = await operations.getPackage(service, { system: 'NPM', name: '@corp/a' }, { signal });
    expect(error).toBeInstanceOf(InsightsError);
    expect(error?.rule).toBe('private-name');
    const found: unknown[] = [];
    for await (const { request, missing } of batches.purls(['pkg:npm/ms@2.1.2', 'pkg:npm/ms@0.0.0'], {
      signal,
    })) {
      found.push([request, missing ?? false]);
    }
    expect(found).toEqual([
      ['pkg:npm/ms@2.1.2', false],
      ['pkg:npm/ms@0.0.0', true],
    ]);
  } finally {
    await close();
    await local.close();
  }
});
