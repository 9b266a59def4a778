import { writeFile } from 'node:fs/promises';
import { renderReplays } from '../test/incidents/page.ts';

/** Writes `docs/reference/incidents.md` from the facts in `test/incidents/cases/`. */
await writeFile('docs/reference/incidents.md', await renderReplays());
