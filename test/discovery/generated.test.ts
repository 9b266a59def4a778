import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { generateTypes } from '../../scripts/generate-types.ts';

test('the committed types are those of the documents', async () => {
  const files = await generateTypes();
  expect(files).toHaveLength(5);
  for (const { path, content } of files) {
    const committed = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
    expect(committed === content, `${path} is stale: run npm run generate`).toBe(true);
  }
});
