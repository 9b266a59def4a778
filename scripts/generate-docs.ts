import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { apiPage } from './docs/api-page.ts';
import { jsonBlock } from './docs/markdown.ts';
import { metricsPage } from './docs/metrics-page.ts';
import { ownRuleTable, rulePages, ruleTable } from './docs/rule-pages.ts';
import { settingsPage } from './docs/settings-page.ts';
import { signalsPage } from './docs/signals-page.ts';
import { webhookPage } from './docs/webhook-page.ts';
import { sampleEnvelope } from './docs-samples.ts';

/** The generated sections of pages, by the name in their markers `<!-- begin NAME -->`, `<!-- end NAME -->`. */
const SECTIONS: Readonly<Record<string, Readonly<Record<string, () => string>>>> = {
  'docs/rules/index.md': { rules: () => ruleTable(''), 'own rules': ownRuleTable },
};

/** The reference pages, all of whose text is generated. */
const REFERENCE: Readonly<Record<string, () => string | Promise<string>>> = {
  'docs/reference/settings.md': settingsPage,
  'docs/reference/operations.md': apiPage,
  'docs/reference/webhooks.md': webhookPage,
  'docs/reference/metrics.md': metricsPage,
  'docs/reference/envelope.md': envelopePage,
  'docs/reference/signals.md': signalsPage,
};

/** The page with the data of a job as producers write it. */
function envelopePage(): string {
  return `<!-- Written by \`npm run generate\` from a payload that the schema accepts. -->

# The envelope of a scan

The data of a job on the queue \`ingest-lockfiles\`. [Producers](../producers.md) describes each field; the
[JSON Schema](../../schemas/ingest-lockfiles.v1.json) is its exact form.

${jsonBlock(sampleEnvelope())}
## The image

\`image\` is \`{ "reference": "shop:1.0", "platform": "linux/amd64", "digest": "sha256:…", "layers": [["sha256:…"], …] }\`. \`digest\` is that of the configuration of the
image. \`layers\` has the chain identifiers of each layer that is not empty, the lowest first: computed without empty layers and, where it differs, with them;
at most 2,000.

## The job id

Write \`scan\` and \`key\` with the suffix of the target, and as the job id \`j\` and the first 40 hex digits of the SHA-256 of the JSON text
\`["ingest-lockfiles","<scan>"]\` without spaces. BullMQ drops a job whose id is on the queue without a word; an id without the suffix could be that of
another target.
`;
}

/** The documentation with tables, lists, examples and reference pages generated from the code. */
export async function generateDocs(): Promise<
  readonly { readonly path: string; readonly content: string }[]
> {
  const pages = await Promise.all(
    Object.entries(SECTIONS).map(async ([page, sections]) => {
      let content = await readFile(path.resolve(import.meta.dirname, '..', page), 'utf8');
      for (const [name, section] of Object.entries(sections)) {
        content = replaceSection(content, page, name, section());
      }
      return { path: page, content };
    }),
  );
  const reference = await Promise.all(
    Object.entries(REFERENCE).map(async ([page, render]) => ({ path: page, content: await render() })),
  );
  const rules = Object.entries(rulePages()).map(([page, content]) => ({ path: page, content }));
  return [...pages, ...reference, ...rules];
}

function replaceSection(text: string, page: string, name: string, section: string): string {
  const [begin, end] = [`<!-- begin ${name} -->\n`, `<!-- end ${name} -->`];
  const [start, stop] = [text.indexOf(begin), text.indexOf(end)];
  if (start < 0 || stop < start)
    throw new RangeError(`${page} lacks the markers <!-- begin ${name} --> and <!-- end ${name} -->`);
  return text.slice(0, start) + begin + section + text.slice(stop);
}
