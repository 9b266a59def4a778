import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { generateDocs } from '../../scripts/generate-docs.ts';
import { ALERT_VARIABLES } from '../../src/notify/alert-variables.ts';

it('docs/webhooks.md has the variables as the code has them (npm run generate)', async () => {
  for (const { path, content } of await generateDocs()) {
    expect(readFileSync(join(import.meta.dirname, '../..', path), 'utf8')).toBe(content);
    for (const { name } of ALERT_VARIABLES) expect(content).toContain(`\`$${name}\``);
  }
});
